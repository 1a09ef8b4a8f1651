/** The demo: the real agent on a simulated tray, from the probe to a prepared claim and back, told step by step. */
@NullMarked
package io.imexagent.e2e.demo;

import org.jspecify.annotations.NullMarked;
