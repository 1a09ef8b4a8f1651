package io.imexagent.e2e.kubelet;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.List;

/**
 * Keeps the authority of every call.
 *
 * @param authorities where they are kept
 */
record AuthorityRecorder(List<String> authorities) implements ServerInterceptor {

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        authorities.add(String.valueOf(call.getAuthority()));
        return next.startCall(call, headers);
    }
}
