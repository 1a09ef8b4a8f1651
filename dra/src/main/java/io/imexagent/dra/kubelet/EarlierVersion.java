package io.imexagent.dra.kubelet;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.Objects;

/** A gRPC service under the name of an earlier version whose messages are the same on the wire, field for field. */
final class EarlierVersion {

    private EarlierVersion() {}

    static BindableService of(BindableService service, String name) {
        var earlier = ServerServiceDefinition.builder(name);
        service.bindService().getMethods().forEach(method -> earlier.addMethod(renamed(method, name)));
        return earlier::build;
    }

    private static <Q, A> ServerMethodDefinition<Q, A> renamed(ServerMethodDefinition<Q, A> method, String service) {
        MethodDescriptor<Q, A> present = method.getMethodDescriptor();
        String name =
                MethodDescriptor.generateFullMethodName(service, Objects.requireNonNull(present.getBareMethodName()));
        return ServerMethodDefinition.create(
                present.toBuilder()
                        .setFullMethodName(name)
                        .setSchemaDescriptor(null)
                        .build(),
                method.getServerCallHandler());
    }
}
