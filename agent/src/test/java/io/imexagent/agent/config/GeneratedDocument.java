package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A checked-in document that is made from the code. */
final class GeneratedDocument {

    private GeneratedDocument() {}

    /** Fails where the document in {@code docs/} is not this text; writes it where {@code make docs} asks for that. */
    static void isCurrent(String name, String text) throws IOException {
        Path document = Path.of(System.getProperty("basedir", "."), "..", "docs", name);
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(document, text);
        }
        assertThat(document)
                .as("docs/%s is made from the code; write it again with: make docs", name)
                .hasContent(text);
    }
}
