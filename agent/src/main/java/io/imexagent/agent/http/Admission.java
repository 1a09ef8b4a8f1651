package io.imexagent.agent.http;

/** Whether a client may see a document. */
sealed interface Admission {

    /** It may. */
    record Admitted() implements Admission {}

    /**
     * It may not.
     *
     * @param reply the answer, with the reason and what to do
     */
    record Refused(PageReply reply) implements Admission {}
}
