package io.imexagent.rdma.watch;

import io.imexagent.rdma.probe.HostFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A host's files that keep in mind what they answered, for a support bundle. */
public final class RecordingFiles implements HostFiles {

    private final HostFiles files;
    private final Map<String, String> texts = new TreeMap<>();
    private final Map<String, String> links = new TreeMap<>();
    private final Map<String, List<String>> folders = new TreeMap<>();
    private final Map<String, String> failures = new TreeMap<>();

    /** Records what these files answer. */
    public RecordingFiles(HostFiles files) {
        this.files = files;
    }

    /** A question to the files. */
    private interface Question<T> {
        T ask(String path) throws IOException;
    }

    private <T> T recorded(Question<T> question, String path, Map<String, T> answers) throws IOException {
        try {
            T answer = question.ask(path);
            answers.put(path, answer);
            return answer;
        } catch (IOException failure) {
            failures.put(path, String.valueOf(failure.getMessage()));
            throw failure;
        }
    }

    @Override
    public String read(String path) throws IOException {
        return recorded(files::read, path, texts);
    }

    @Override
    public List<String> list(String path) throws IOException {
        return recorded(asked -> List.copyOf(files.list(asked)), path, folders);
    }

    @Override
    public String target(String path) throws IOException {
        return recorded(files::target, path, links);
    }

    @Override
    public String resolve(String path) throws IOException {
        return recorded(files::resolve, path, links);
    }

    /** Files by path, with their texts. */
    public Map<String, String> texts() {
        return Map.copyOf(texts);
    }

    /** Links by path, with where they lead. */
    public Map<String, String> links() {
        return Map.copyOf(links);
    }

    /** Folders by path, with the names in them. */
    public Map<String, List<String>> folders() {
        return Map.copyOf(folders);
    }

    /** What could not be read, with the reason. */
    public Map<String, String> failures() {
        return Map.copyOf(failures);
    }
}
