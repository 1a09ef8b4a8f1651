/**
 * A C fake of {@code libnvidia-ml.so.1} for tests of this and of other modules: compiled on the spot, driven from a
 * file.
 */
package io.imexagent.nvml.fake;
