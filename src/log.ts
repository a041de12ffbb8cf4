import { pino, type Logger } from 'pino';
import { z } from 'zod';

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'child'>;

export const logLevel = z
  .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  .default('info');

/** Fields that must never be written, wherever they stand in what is logged. */
const SECRET_PATHS = ['text', 'key', 'token', 'audio', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/** JSON lines on standard error: a static message, facts in fields; never anybody's text or keys. */
export const createLog = (level: z.infer<typeof logLevel>): Logger =>
  pino(
    { level, base: null, redact: { paths: SECRET_PATHS, censor: '[hidden]' } },
    pino.destination({ dest: 2, sync: false }),
  );
