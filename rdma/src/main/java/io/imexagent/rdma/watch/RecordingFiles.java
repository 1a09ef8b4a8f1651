package io.imexagent.rdma.watch;

import io.imexagent.rdma.probe.HostFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A host's files that keep in mind what they and the host's kernel answered, for a support bundle. */
public final class RecordingFiles implements HostFiles {

    private final HostFiles files;
    private final Answers answers =
            new Answers(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    /** Records what these files answer. */
    public RecordingFiles(HostFiles files) {
        this.files = files;
    }

    /**
     * What was answered, each by path, or by command line.
     *
     * @param texts files with their texts
     * @param links links with where they lead
     * @param folders folders with the names in them
     * @param failures what could not be read, with the reason
     * @param programs what programs of the host printed
     */
    public record Answers(
            Map<String, String> texts,
            Map<String, String> links,
            Map<String, List<String>> folders,
            Map<String, String> failures,
            Map<String, String> programs) {}

    /** What was answered so far. */
    public Answers answers() {
        return answers;
    }

    private interface Question<T> {
        T ask(String path) throws IOException;
    }

    private <T> T recorded(Question<T> question, String path, Map<String, T> into) throws IOException {
        try {
            T answer = question.ask(path);
            into.put(path, answer);
            return answer;
        } catch (IOException failure) {
            answers.failures.put(path, String.valueOf(failure.getMessage()));
            throw failure;
        }
    }

    @Override
    public Optional<String> printed(List<String> question) {
        Optional<String> printed = files.printed(question);
        printed.ifPresent(text -> answers.programs.put(String.join(" ", question), text));
        return printed;
    }

    @Override
    public String read(String path) throws IOException {
        return recorded(files::read, path, answers.texts);
    }

    @Override
    public List<String> list(String path) throws IOException {
        return recorded(asked -> List.copyOf(files.list(asked)), path, answers.folders);
    }

    @Override
    public String target(String path) throws IOException {
        return recorded(files::target, path, answers.links);
    }

    @Override
    public String resolve(String path) throws IOException {
        return recorded(files::resolve, path, answers.links);
    }
}
