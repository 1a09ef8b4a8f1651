package io.imexagent.kubernetes.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes kubeconfigs for tests. */
public final class KubeconfigFile {

    private KubeconfigFile() {}

    /**
     * Writes {@code kubeconfig} into the folder, in place of one that is there.
     *
     * @param cluster a line of the cluster's fields beside the server; may be empty
     * @param user lines of the user's fields, indented by four blanks after the first
     */
    public static Path write(Path folder, String server, String cluster, String user) throws IOException {
        String text = """
                apiVersion: v1
                kind: Config
                clusters:
                - name: c
                  cluster:
                    server: %s
                    %s
                contexts:
                - name: x
                  context: {cluster: c, user: u}
                current-context: x
                users:
                - name: u
                  user:
                    %s
                """.formatted(server, cluster, user);
        Path next = Files.writeString(folder.resolve("kubeconfig.next"), text);
        return Files.move(next, folder.resolve("kubeconfig"), StandardCopyOption.REPLACE_EXISTING);
    }
}
