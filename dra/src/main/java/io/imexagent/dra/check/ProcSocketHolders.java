package io.imexagent.dra.check;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds the process that listens on a Unix socket: the socket's inode stands in {@code /proc/net/unix}, and the
 * descriptors of its process lead to {@code socket:[inode]} (proc(5)). Others' descriptors can be seen by root only.
 */
public final class ProcSocketHolders {

    /** {@code Num RefCount Protocol Flags Type St Inode Path}. */
    private static final int INODE = 6;

    private static final int PATH = 7;

    private final Path proc;

    /** The processes of this {@code /proc}. */
    public ProcSocketHolders(Path proc) {
        this.proc = proc;
    }

    /** The process that listens on the socket, as far as it can be seen. */
    Optional<Holder> of(Path socket) throws IOException {
        Optional<String> inode = Files.readString(proc.resolve("net/unix"), StandardCharsets.ISO_8859_1)
                .lines()
                .map(line -> line.strip().split("\\s+", PATH + 1))
                .filter(fields -> fields.length > PATH && fields[PATH].equals(socket.toString()))
                .map(fields -> fields[INODE])
                .findFirst();
        return inode.isEmpty() ? Optional.empty() : holder("socket:[" + inode.get() + "]");
    }

    private Optional<Holder> holder(String target) throws IOException {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, target)) {
                    String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    return Optional.of(new Holder(
                            process.getFileName().toString(),
                            command.replace('\0', ' ').strip()));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean holds(Path process, String target) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor).toString().equals(target)) {
                    return true;
                }
            }
        } catch (IOException endedOrForbidden) {
            return false;
        }
        return false;
    }

    /**
     * A process.
     *
     * @param pid its ID
     * @param command its command line, words joined by blanks
     */
    record Holder(String pid, String command) {

        /** Whether it runs a class of this agent. */
        boolean isThisAgent() {
            return command.contains("io.imexagent.agent.");
        }
    }
}
