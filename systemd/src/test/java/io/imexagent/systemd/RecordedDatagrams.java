package io.imexagent.systemd;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what was sent. */
final class RecordedDatagrams implements Datagrams {

    static final long NOW_MICROS = 4_711;

    private final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public boolean send(NotifySocket to, String text) {
        texts.add(text);
        return true;
    }

    @Override
    public long monotonicMicros() {
        return NOW_MICROS;
    }

    List<String> texts() {
        return List.copyOf(texts);
    }
}
