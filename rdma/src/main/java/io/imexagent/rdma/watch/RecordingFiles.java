package io.imexagent.rdma.watch;

import io.imexagent.rdma.probe.HostFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The files of a host with a record of all answers, for a support bundle. */
public record RecordingFiles(HostFiles files, RecordedFiles answers) implements HostFiles {

    public RecordingFiles(HostFiles files) {
        this(
                files,
                new RecordedFiles(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>()));
    }

    /**
     * The contents of files, targets of links, names in folders and reasons of failures, each by path; and the output
     * of programs by command line.
     */
    public record RecordedFiles(
            Map<String, String> texts,
            Map<String, String> links,
            Map<String, List<String>> folders,
            Map<String, String> failures,
            Map<String, String> programs) {}

    private interface FileQuery<T> {
        T ask(String path) throws IOException;
    }

    private <T> T recorded(FileQuery<T> question, String path, Map<String, T> into) throws IOException {
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
        return recorded(requested -> List.copyOf(files.list(requested)), path, answers.folders);
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
