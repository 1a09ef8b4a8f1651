package io.imexagent.kubernetes.http;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A client of a server that answers what a test tells it to. */
abstract class StubbedApi {

    @TempDir
    Path folder;

    final ClientFixture fixture = new ClientFixture();
    StubServer server;
    HttpKubernetesApi api;

    @BeforeEach
    void open() throws IOException {
        server = StubServer.plain();
        api = fixture.client(folder, server);
    }

    @AfterEach
    void close() {
        api.close();
        server.close();
    }
}
