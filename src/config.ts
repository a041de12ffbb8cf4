import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { AppError } from './errors.ts';

/** Environment variables by name; an empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One owner's variables: each documented with `.describe()`, each with a default or optional. */
export type ConfigSection = z.ZodObject<Record<string, z.ZodType>>;

/** The lines of an env file; none when it is missing. */
export const readEnvFile = (file: string): Environment => {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new AppError('config', `${file} cannot be read`, { cause });
  }
};

/** Names that no section knows: mistyped ones, most likely. */
export const strayNames = (
  environment: Environment,
  sections: readonly ConfigSection[],
): readonly string[] => {
  const known = new Set(sections.flatMap((section) => Object.keys(section.shape)));
  return Object.keys(environment).filter((name) => !known.has(name));
};

type Values<Sections extends Record<string, ConfigSection>> = {
  readonly [Name in keyof Sections]: z.infer<Sections[Name]>;
};

/**
 * Parses every section from one environment. All faults are told in one `AppError` (`config`), a
 * line each, with the variable's name and never its value.
 */
export const parseConfig = <Sections extends Record<string, ConfigSection>>(
  environment: Environment,
  sections: Sections,
): Values<Sections> => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, section] of Object.entries(sections)) {
    const parsed = section.safeParse(given, { reportInput: false });
    if (parsed.success) values[name] = parsed.data;
    else
      for (const issue of parsed.error.issues)
        faults.push(`  ${issue.path.join('.')}: ${issue.message}`);
  }
  if (faults.length > 0)
    throw new AppError(
      'config',
      `The configuration has ${faults.length} mistake${faults.length > 1 ? 's' : ''}:\n` +
        `${[...new Set(faults)].join('\n')}\n` +
        'Each variable is explained in docs/configuration.md.',
    );
  return values as Values<Sections>;
};

/** `host` part of an address to listen on: only this machine can reach these. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

export const port = z.coerce
  .number({ error: 'must be a port number, 0 to 65535' })
  .int('must be a whole number')
  .min(0, 'must be 0 to 65535')
  .max(65_535, 'must be 0 to 65535');

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'must be an address that begins with http:// or https://',
});
