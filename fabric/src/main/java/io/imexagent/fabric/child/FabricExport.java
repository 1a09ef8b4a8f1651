package io.imexagent.fabric.child;

import io.imexagent.fabric.cuda.FabricHandle;

/** Memory that a child exports: its handle, and its size in bytes, which an importer needs to map it. */
public record FabricExport(FabricHandle handle, long bytes) {}
