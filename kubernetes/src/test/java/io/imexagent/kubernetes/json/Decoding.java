package io.imexagent.kubernetes.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Decodes what is in memory already. */
public final class Decoding {

    private Decoding() {}

    public static <T> T of(Decoder<T> decoder, String text) throws IOException {
        return decoder.decode(new JsonScanner(new ByteArrayInputStream(text.getBytes(UTF_8))));
    }
}
