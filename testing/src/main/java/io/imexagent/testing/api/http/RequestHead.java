package io.imexagent.testing.api.http;

import java.util.Map;

/** A request as it was read, body included. */
final class RequestHead {
    private final String method;
    private final String target;
    private final boolean http11;
    private final Map<String, String> headers;
    private final byte[] body;

    RequestHead(String method, String target, boolean http11, Map<String, String> headers, byte[] body) {
        this.method = method;
        this.target = target;
        this.http11 = http11;
        this.headers = headers;
        this.body = body;
    }

    String method() {
        return method;
    }

    /** The request target, still percent-encoded. */
    String target() {
        return target;
    }

    boolean http11() {
        return http11;
    }

    /** Names in lower case; of a repeated header the last value. */
    Map<String, String> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }
}
