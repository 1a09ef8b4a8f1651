/** The controller of ComputeDomains. */
@NullMarked
package io.imexagent.controller;

import org.jspecify.annotations.NullMarked;
