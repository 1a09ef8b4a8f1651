package io.imexagent.controller.racks;

import io.imexagent.core.claim.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;

/**
 * The page that shows the document of the racks: HTML with its style and script, without data of the cluster. The
 * policy lets a browser use only this style and script, and connect only to this server.
 */
public record RacksPage(String html, String policy) {

    private static final String STYLE = "/*STYLE*/";
    private static final String SCRIPT = "/*SCRIPT*/";

    /** Reads the page from the program's resources. */
    public static RacksPage load() {
        String style = file("racks.css");
        String script = file("racks.js") + file("drawer.js");
        return new RacksPage(
                file("racks.html").replace(STYLE, style).replace(SCRIPT, script),
                "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script)
                        + "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
                        + " frame-ancestors 'none'");
    }

    private static String file(String name) {
        try (InputStream file = Objects.requireNonNull(RacksPage.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException("cannot read " + name + " of this program", broken);
        }
    }

    private static String hash(String content) {
        byte[] digest = Sha256.of(content.getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }
}
