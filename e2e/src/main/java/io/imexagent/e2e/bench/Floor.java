package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.ApiDoubleProcess;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * What no agent can be faster than on this machine: one GET of a claim over a connection that is kept open, and three
 * durable replacements of files like the agent's, on the same file system. Checkpoint, CDI file, checkpoint.
 */
final class Floor {

    private final ApiDoubleProcess api;
    private final HttpRequest claim;
    private final Path directory;
    private final byte[] checkpoint;
    private final byte[] spec;

    /**
     * The floor.
     *
     * @param claimPath the path of a claim at the API server
     * @param directory where files are written
     * @param checkpoint content like that of a checkpoint
     * @param spec content like that of a CDI file
     */
    Floor(ApiDoubleProcess api, String claimPath, Path directory, byte[] checkpoint, byte[] spec) throws IOException {
        this.api = api;
        this.claim = api.request(claimPath).build();
        this.directory = Files.createDirectories(directory);
        this.checkpoint = checkpoint.clone();
        this.spec = spec.clone();
    }

    /** Does it once. */
    void once() throws IOException, InterruptedException {
        HttpResponse<byte[]> response = api.http().send(claim, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("GET " + claim.uri() + " was answered " + response.statusCode());
        }
        replace("checkpoint.json", checkpoint);
        replace("claim.yaml", spec);
        replace("checkpoint.json", checkpoint);
    }

    private void replace(String name, byte[] content) throws IOException {
        Path temporary = directory.resolve(name + ".new");
        try (FileChannel file = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            // The data and the size, as the agent does: the times of a new file need not be durable.
            file.force(false);
        }
        Files.move(
                temporary,
                directory.resolve(name),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
