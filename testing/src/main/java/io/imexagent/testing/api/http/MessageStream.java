package io.imexagent.testing.api.http;

import java.io.IOException;

/** An answer that goes on: messages, each flushed at once, until either side ends it. */
public sealed interface MessageStream permits ChunkedStream, WebSocketStream {
    /**
     * Sends one message and flushes it.
     *
     * @throws IOException when the client is gone
     */
    void send(byte[] message) throws IOException;

    /**
     * Ends the stream in order.
     *
     * @throws IOException when the client is gone
     */
    void end() throws IOException;

    /** Ends the connection without a word, as a broken network does. */
    void drop();

    /** Runs the action once, on another thread, as soon as the client has gone. */
    void onClientGone(Runnable action);
}
