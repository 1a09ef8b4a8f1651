package io.imexagent.fabric.result;

import java.time.Instant;
import java.util.Optional;

/**
 * A node of a run, and what a result holds for as its agent published it: boot ID, start of nvidia-imex and driver. A
 * result says nothing of the node any more as soon as one of them is another.
 */
public record TestedNode(String name, Optional<String> boot, Optional<Instant> imexSince, Optional<String> driver) {}
