import { inspect } from 'node:util';

/** Shortest beginning of an encoded key that is looked for: its end depends on what follows it. */
const ENCODED_CHARS = 24;

/** The ways in which a key may be written. */
const writingsOf = (key: string): readonly string[] =>
  [key, key.slice(key.indexOf(':') + 1)].flatMap((part) => [
    part,
    encodeURIComponent(part),
    Buffer.from(part).toString('base64').slice(0, ENCODED_CHARS),
    Buffer.from(part).toString('base64url').slice(0, ENCODED_CHARS),
    Buffer.from(part).toString('hex').slice(0, ENCODED_CHARS),
  ]);

/** Everything of a thrown value that anything could print: of its causes, too. */
const printed = (value: unknown): string => {
  const parts: string[] = [
    inspect(value, {
      depth: Infinity,
      showHidden: true,
      maxStringLength: Infinity,
      maxArrayLength: Infinity,
    }),
  ];
  for (let error: unknown = value; error instanceof Error; error = error.cause) {
    parts.push(error.message, error.stack ?? '', String(error), inspect(error, { depth: 8 }));
    parts.push(
      JSON.stringify(Object.entries(error)),
      JSON.stringify(error, Object.getOwnPropertyNames(error)),
    );
  }
  if (value instanceof Error) return parts.join('\n');
  return [...parts, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')].join('\n');
};

/** The ways in which keys stand in a value, one of each. */
export const tracesOf = (keys: readonly string[], value: unknown): readonly string[] => {
  const text = printed(value);
  return keys.flatMap((key) => writingsOf(key).find((written) => text.includes(written)) ?? []);
};

/** The way in which a key stands in a value; undefined where it does not. */
export const traceOf = (key: string, value: unknown): string | undefined =>
  tracesOf([key], value)[0];
