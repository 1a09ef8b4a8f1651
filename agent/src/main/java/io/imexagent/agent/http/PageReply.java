package io.imexagent.agent.http;

import io.imexagent.core.claim.Sha256;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/** A reply to a request, with its headers in addition to the usual ones. */
public record PageReply(int status, Map<String, String> headers, Buffer body) {

    private static final String ETAG = "ETag";

    /** Compressing fewer bytes is not worth the time. */
    private static final int COMPRESSED_FROM = 16 << 10;

    public PageReply {
        headers = Map.copyOf(headers);
    }

    PageReply(int status, Map<String, String> headers, String text) {
        this(status, headers, Buffer.buffer(text));
    }

    public static PageReply text(int status, String text) {
        return new PageReply(status, Map.of("Content-Type", "text/plain; charset=utf-8"), text);
    }

    public static PageReply text(int status, String header, String value, String text) {
        return new PageReply(status, Map.of("Content-Type", "text/plain; charset=utf-8", header, value), text);
    }

    public static PageReply json(String text) {
        return new PageReply(200, Map.of("Content-Type", "application/json"), text);
    }

    /** A document that clients poll. A client that has this {@code content}, whatever its time, receives a 304. */
    public static PageReply polled(String content, String json) {
        return new PageReply(200, Map.of("Content-Type", "application/json", ETAG, etag(content)), json);
    }

    /** A page for browsers, under this Content-Security-Policy. */
    public static PageReply html(String text, String policy) {
        return new PageReply(
                200,
                Map.of(
                        "Content-Type", "text/html; charset=utf-8",
                        "Content-Security-Policy", policy,
                        "Referrer-Policy", "no-referrer",
                        "Cross-Origin-Opener-Policy", "same-origin"),
                text);
    }

    private static String etag(String text) {
        return "\"" + Sha256.hex(text) + "\"";
    }

    /** The reply to a client that may have this version. */
    PageReply unlessMatching(Optional<String> version) {
        return version.isPresent() && version.get().equals(headers.get(ETAG))
                ? new PageReply(304, Map.of(ETAG, version.get()), Buffer.buffer())
                : this;
    }

    /** The reply to a client that accepts these encodings. */
    PageReply encodedFor(String accepted) {
        if (body.length() < COMPRESSED_FROM || !accepted.matches(".*\\bgzip\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$)).*")) {
            return this;
        }
        var compressed = new ByteArrayOutputStream(body.length() / 8);
        try (var gzip = new GZIPOutputStream(compressed)) {
            gzip.write(body.getBytes());
        } catch (IOException impossible) {
            throw new UncheckedIOException("memory cannot fail to be written", impossible);
        }
        var with = new HashMap<>(headers);
        with.put("Content-Encoding", "gzip");
        with.put("Vary", "Accept-Encoding");
        return new PageReply(status, with, Buffer.buffer(compressed.toByteArray()));
    }
}
