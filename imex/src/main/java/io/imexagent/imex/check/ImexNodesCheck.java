package io.imexagent.imex.check;

import io.imexagent.core.check.CheckResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The list of peers of nvidia-imex, without which that daemon does not start. It belongs to the operator. */
public final class ImexNodesCheck {

    private static final String ID = "imex-nodes";
    private static final String FILE = "etc/nvidia-imex/nodes_config.cfg";

    private ImexNodesCheck() {}

    public static CheckResult run(Path hostRoot) {
        String remedy = "write one address of a peer on each line, the same file on every node, then restart"
                + " nvidia-imex; without it pods start and CUDA's IMEX calls fail";
        try {
            String text = new String(Files.readAllBytes(hostRoot.resolve(FILE)), StandardCharsets.ISO_8859_1);
            long peers = text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .count();
            return peers > 0
                    ? CheckResult.ok(ID, "/" + FILE + " names " + peers + (peers == 1 ? " node" : " nodes"))
                    : CheckResult.warning(ID, "/" + FILE + " names no node", remedy);
        } catch (NoSuchFileException missing) {
            return CheckResult.warning(ID, "/" + FILE + " does not exist", remedy);
        } catch (IOException failure) {
            return CheckResult.warning(
                    ID, "/" + FILE + " cannot be read: " + failure.getMessage(), "make it readable for the agent");
        }
    }
}
