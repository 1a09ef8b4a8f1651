package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The lines of an open watch. */
record Lines(int code, BufferedReader reader) implements AutoCloseable {
    static Lines open(HttpClient http, HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
        InputStreamReader reader = new InputStreamReader(response.body(), StandardCharsets.UTF_8);
        return new Lines(response.statusCode(), new BufferedReader(reader));
    }

    /** The next event; waits for it. */
    ObjectNode next() throws IOException {
        return end().orElseThrow(() -> new IOException("the watch ended"));
    }

    /** The next event, or empty when the server ended the watch in order. */
    Optional<ObjectNode> end() throws IOException {
        return Optional.ofNullable(reader.readLine()).map(Json::literal);
    }

    /** The type and the name of the object of the next event. */
    String nextNamed() throws IOException {
        ObjectNode event = next();
        return event.path("type").asText() + " "
                + event.path("object").path("metadata").path("name").asText();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
