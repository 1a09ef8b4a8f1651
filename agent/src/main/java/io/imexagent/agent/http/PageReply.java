package io.imexagent.agent.http;

import java.util.Map;

/** An answer to a request, with what it has beside the usual headers. */
record PageReply(int status, Map<String, String> headers, String text) {

    PageReply {
        headers = Map.copyOf(headers);
    }

    static PageReply text(int status, String text) {
        return new PageReply(status, Map.of("Content-Type", "text/plain; charset=utf-8"), text);
    }

    static PageReply text(int status, String header, String value, String text) {
        return new PageReply(status, Map.of("Content-Type", "text/plain; charset=utf-8", header, value), text);
    }

    static PageReply json(String text) {
        return new PageReply(200, Map.of("Content-Type", "application/json"), text);
    }
}
