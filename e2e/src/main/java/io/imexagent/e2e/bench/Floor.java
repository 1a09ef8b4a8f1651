package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.ApiDoubleProcess;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * What no agent can be faster than on this machine: one GET of a claim over a connection that is kept open, and one
 * durable replacement of a file like the agent's checkpoint, on the same file system.
 */
final class Floor {

    private final ApiDoubleProcess api;
    private final HttpRequest claim;
    private final Path directory;
    private final byte[] checkpoint;

    /** A floor in this directory, with content like that of a checkpoint of the agent's. */
    Floor(ApiDoubleProcess api, String claimPath, Path directory, Path checkpoint) throws IOException {
        this.api = api;
        this.claim = api.request(claimPath).build();
        this.directory = Files.createDirectories(directory);
        this.checkpoint = Files.readAllBytes(checkpoint);
    }

    void read() throws IOException, InterruptedException {
        HttpResponse<byte[]> response = api.http().send(claim, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("GET " + claim.uri() + " was answered " + response.statusCode());
        }
    }

    void replace() throws IOException {
        Path temporary = directory.resolve("checkpoint.json.new");
        try (var file = new FileOutputStream(temporary.toFile())) {
            file.write(checkpoint);
            // The data and the size, as the agent does: the times of a new file need not be durable.
            file.getChannel().force(false);
        }
        Files.move(temporary, directory.resolve("checkpoint.json"), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
