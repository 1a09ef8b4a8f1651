package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiFailure;

/** An orderly answer about an object. */
sealed interface Answer {

    /**
     * The server did what it was asked.
     *
     * @param call what was asked
     * @param server the server's address, for messages
     * @param reply the response
     */
    record Done(Call call, String server, Reply reply) implements Answer {

        /** The response's body. */
        byte[] body() {
            return reply.body();
        }
    }

    /**
     * The object is not there.
     *
     * @param failure the same as a failure
     */
    record Missing(ApiFailure failure) implements Answer {}
}
