package io.imexagent.imex.probe;

import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.inventory.XidHistory.XidEvent;
import io.imexagent.files.FileFault;
import io.imexagent.files.PassingFile;
import io.imexagent.imex.probe.GpuEventWatch.OpenXids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Xids of this boot in a file, {@code /run/imex-agent/xids}, for {@code imex-agent probe}, which cannot receive
 * past events, and for the next agent. The first line has the time since which an agent listens, each other line an Xid
 * of a GPU:
 *
 * <pre>
 * since=2026-11-21T10:00:00Z
 * gpu=1 xid=79 count=2 first=2026-11-21T10:04:07Z last=2026-11-21T10:09:11Z
 * </pre>
 *
 * <p>{@code gpu=-} is a GPU that the driver did not name. The file disappears at a reboot, so it needs no durability;
 * if the folder cannot be written, the Xids are in memory alone.
 */
public final class XidLog {

    /**
     * The largest number of different Xids in the log: four GPUs have a handful. More come from a badly broken driver,
     * and are counted by metrics alone.
     */
    private static final int MOST = 256;

    private static final int LARGEST = 1 << 16;
    private static final Pattern SINCE = Pattern.compile("since=(\\S+)");
    private static final Pattern XID =
            Pattern.compile("gpu=(-|[0-9]{1,4}) xid=([0-9]{1,18}) count=([0-9]{1,18}) first=(\\S+) last=(\\S+)");
    private static final Logger LOG = LoggerFactory.getLogger(XidLog.class);

    private final Path file;
    private Optional<XidHistory> history = Optional.empty();
    private boolean reported;

    /** Creates the log of the host with its {@code run} below the root; nothing is read yet. */
    public XidLog(Path hostRoot) {
        this.file = hostRoot.resolve("run/imex-agent/xids");
    }

    /** The Xids since the boot; empty if no agent has listened, or its record cannot be read. */
    public synchronized Optional<XidHistory> history() {
        if (history.isEmpty()) {
            history = read();
        }
        return history;
    }

    synchronized void listening(Instant now) {
        if (history().isEmpty()) {
            keep(new XidHistory(now, List.of()));
        }
    }

    /** Adds an Xid, with a GPU's index if the driver named one. */
    synchronized void add(OptionalInt gpu, long number, Instant at) {
        XidHistory before = history().orElseGet(() -> new XidHistory(at, List.of()));
        var events = new ArrayList<XidEvent>(before.events());
        for (int i = 0; i < events.size(); i++) {
            XidEvent known = events.get(i);
            if (known.gpu().equals(gpu) && known.number() == number) {
                events.set(i, new XidEvent(gpu, number, known.cause(), known.count() + 1, known.first(), at));
                keep(new XidHistory(before.since(), events));
                return;
            }
        }
        if (events.size() < MOST) {
            events.add(new XidEvent(gpu, number, OpenXids.cause(number), 1, at, at));
            keep(new XidHistory(before.since(), events));
        }
    }

    private void keep(XidHistory changed) {
        history = Optional.of(changed);
        var text = new StringBuilder("since=" + changed.since() + "\n");
        for (XidEvent xid : changed.events()) {
            text.append("gpu=")
                    .append(xid.gpu().isPresent() ? Integer.toString(xid.gpu().getAsInt()) : "-")
                    .append(" xid=" + xid.number() + " count=" + xid.count())
                    .append(" first=" + xid.first() + " last=" + xid.last() + "\n");
        }
        try {
            PassingFile.replace(file, text.toString());
        } catch (IOException failure) {
            if (!reported) {
                reported = true;
                LOG.warn(
                        "Xids cannot be recorded for imex-agent probe file={} reason=\"{}\"",
                        file,
                        FileFault.reason(failure));
            }
        }
    }

    private Optional<XidHistory> read() {
        try (var bytes = Files.newInputStream(file)) {
            return parse(new String(bytes.readNBytes(LARGEST), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException noAgentHasListened) {
            return Optional.empty();
        } catch (IOException | DateTimeException failure) {
            LOG.warn(
                    "the record of Xids cannot be read file={} reason=\"{}\"",
                    file,
                    failure instanceof IOException fault ? FileFault.reason(fault) : failure.getMessage());
            return Optional.empty();
        }
    }

    /** Parses the file without lines that are not understood, which come from a newer agent or a manual edit. */
    private static Optional<XidHistory> parse(String text) {
        List<String> lines = text.lines().toList();
        Matcher since = SINCE.matcher(lines.isEmpty() ? "" : lines.getFirst());
        if (!since.matches()) {
            return Optional.empty();
        }
        var events = new ArrayList<XidEvent>();
        for (String line : lines.subList(1, lines.size())) {
            Matcher xid = XID.matcher(line);
            if (xid.matches()) {
                long number = Long.parseLong(xid.group(2));
                events.add(new XidEvent(
                        xid.group(1).equals("-") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(xid.group(1))),
                        number,
                        OpenXids.cause(number),
                        Long.parseLong(xid.group(3)),
                        Instant.parse(xid.group(4)),
                        Instant.parse(xid.group(5))));
            }
        }
        return Optional.of(new XidHistory(Instant.parse(since.group(1)), events));
    }
}
