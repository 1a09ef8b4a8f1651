package io.imexagent.imex.query;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the parts of nvidia-imex are.
 *
 * @param hostRoot the folder under which the host's {@code etc} and {@code usr} stand
 * @param tool {@code nvidia-imex-ctl}, as a path that can be run
 * @param systemctl {@code systemctl}, likewise
 * @param configuration {@code config.cfg}, as the host names it
 * @param unit the unit's name
 */
public record ImexPaths(Path hostRoot, Path tool, Path systemctl, Path configuration, String unit) {

    private static final List<String> UNIT_FOLDERS = List.of(
            "/etc/systemd/system",
            "/run/systemd/system",
            "/usr/local/lib/systemd/system",
            "/usr/lib/systemd/system",
            "/lib/systemd/system");

    /** A file that the host names, where this process finds it. */
    Path onHost(String path) {
        return hostRoot.resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    /** Whether the tool or the unit is there. */
    boolean installed() {
        return Files.isExecutable(tool)
                || UNIT_FOLDERS.stream()
                        .map(this::onHost)
                        .map(folder -> folder.resolve(unit))
                        .anyMatch(Files::exists);
    }
}
