package io.imexagent.agent.dra;

import java.util.List;

/** Names of requests as the kubelet wants them back. */
final class Requests {

    private Requests() {}

    /** The requests without their subrequests, each once: {@code gpus/large} is {@code gpus}. */
    static List<String> main(List<String> requests) {
        return requests.stream().map(Requests::main).distinct().toList();
    }

    private static String main(String request) {
        int slash = request.indexOf('/');
        return slash < 0 ? request : request.substring(0, slash);
    }
}
