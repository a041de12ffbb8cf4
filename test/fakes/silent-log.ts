import { createLog } from '../../src/telemetry/log.ts';

/** A log that writes nothing, which all tests of a process share. */
export const silentLog = createLog('silent');
