package io.imexagent.nvml.jna;

import com.sun.jna.Pointer;
import io.imexagent.nvml.EventType;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlEvent;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlReturn;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** An event set of an open session. */
final class JnaNvmlEventSet implements NvmlEventSet {
    // NVML takes 32 unsigned bits, yet a signed poll timeout behind it would read the upper half as for ever.
    private static final int LONGEST_MILLIS = Integer.MAX_VALUE;

    private final JnaNvmlSession session;
    private final Pointer handle;
    private final Map<Pointer, Integer> registered = new HashMap<>();
    private boolean closed;

    JnaNvmlEventSet(JnaNvmlSession session, Pointer handle) {
        this.session = session;
        this.handle = handle;
    }

    @Override
    public void register(int deviceIndex, Set<EventType> types) throws NvmlException {
        NvmlFunctions functions = functions();
        Pointer device = functions.device(deviceIndex);
        long mask = types.stream().mapToLong(EventType::number).reduce(0, (left, right) -> left | right);
        functions.call(NvmlCall.REGISTER_EVENTS, device, mask, handle);
        registered.put(device, deviceIndex);
    }

    @Override
    public Optional<NvmlEvent> await(Duration timeout) throws NvmlException {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("the timeout is negative: " + timeout);
        }
        int millis = timeout.compareTo(Duration.ofMillis(LONGEST_MILLIS)) < 0
                ? Math.toIntExact(timeout.toMillis())
                : LONGEST_MILLIS;
        NvmlFunctions functions = functions();
        StructBytes event = StructBytes.zero(EventDataStruct.LAYOUT);
        int result = functions.result(NvmlCall.EVENT_SET_WAIT, handle, event.array(), millis);
        if (NvmlFunctions.is(result, NvmlReturn.TIMEOUT)) {
            return Optional.empty();
        }
        functions.check(NvmlCall.EVENT_SET_WAIT, result);
        return Optional.of(event(event));
    }

    private NvmlEvent event(StructBytes struct) {
        Integer index = registered.get(new Pointer(struct.signedLong(EventDataStruct.DEVICE)));
        return new NvmlEvent(
                index == null ? OptionalInt.empty() : OptionalInt.of(index),
                Numbered.of(struct.signedLong(EventDataStruct.EVENT_TYPE), EventType.values()),
                struct.signedLong(EventDataStruct.EVENT_DATA));
    }

    private NvmlFunctions functions() {
        if (closed) {
            throw new IllegalStateException("the NVML event set is closed");
        }
        return session.functions();
    }

    @Override
    public void close() throws NvmlException {
        // The end of the session has freed the set already.
        if (closed || session.isClosed()) {
            return;
        }
        closed = true;
        session.functions().call(NvmlCall.EVENT_SET_FREE, handle);
    }
}
