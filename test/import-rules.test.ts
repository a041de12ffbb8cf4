import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** One file each that breaks a rule of the house, and what it imports. */
const VIOLATIONS = {
  'src/core-knows-an-adapter.ts': "import '../adapters/web/index.ts';",
  'src/core-knows-a-command.ts': "import '../commands/help.ts';",
  'src/core-knows-the-service.ts': "import '../service/index.ts';",
  'src/core-knows-a-platform.ts': "import 'discord.js';",
  'src/core-reads-the-environment.ts': 'export const home = process.env.HOME;',
  'src/model/model-knows-the-core.ts': "import '../config.ts';",
  'src/async/async-knows-errors.ts': "import '../errors.ts';",
  'src/audio/audio-knows-the-clock.ts': "import '../async/clock.ts';",
  'src/text/text-does-io.ts': "import 'node:fs';",
  'src/text/text-knows-the-client.ts': "import '../api/client.ts';",
  'src/text/protect/text-knows-the-client.ts': "import '../../api/client.ts';",
  'src/audio/audio-keeps-logs.ts': "import 'pino';",
  'src/audio/audio-reads-a-clock.ts': 'export const now = Date.now();',
  'commands/command-knows-a-command.ts': "import './help.ts';",
  'commands/command-reaches-past-its-context.ts': "import '../src/translation/translator.ts';",
  'adapters/web/adapter-knows-a-command.ts': "import '../../commands/help.ts';",
  'adapters/web/adapter-knows-an-adapter.ts': "import '../discord/index.ts';",
  'service/service-knows-the-client.ts': "import '../src/api/client.ts';",
} as const;

const ALLOWED = {
  'src/async/fine.ts': "import './lru.ts';\nimport 'node:timers/promises';",
  'src/audio/opus/fine.ts': "import '../../async/semaphore.ts';",
  'src/text/fine.ts': "import '../model/place.ts';\nimport './unicode.ts';",
  'src/text/protect/fine.ts':
    "import '../../model/place.ts';\nimport '../unicode.ts';\nimport './tokens.ts';",
  'commands/fine.ts':
    "import '../src/command/command.ts';\nimport '../src/command/helpers.ts';\nimport '../src/errors.ts';\nimport 'zod';",
  'adapters/web/fine.ts': "import '../../src/ports/platform.ts';\nimport 'hono';",
  'service/fine.ts':
    "import '../src/api/contract.ts';\nimport '../src/audio/codec/encode.ts';\nimport '../src/async/semaphore.ts';",
} as const;

let folder: string;
let report: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-rules-'));
  cpSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [path, content] of Object.entries({ ...VIOLATIONS, ...ALLOWED })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${content}\n`);
  }
  const run = promisify(execFile);
  const oxlint = join(ROOT, 'node_modules/.bin/oxlint');
  report = await run(oxlint, ['--format=unix', '-A', 'import'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (failure: { stdout: string }) => failure.stdout,
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

const complaints = (path: string): string[] =>
  report.split('\n').filter((line) => line.includes(path) && line.includes('no-'));

describe('the rules of who may import whom', () => {
  it.each(Object.keys(VIOLATIONS))('are broken by %s', (path) => {
    expect(complaints(path)).not.toEqual([]);
  });

  it.each(Object.keys(ALLOWED))('are kept by %s', (path) => {
    expect(complaints(path).filter((line) => line.includes('no-restricted'))).toEqual([]);
  });
});
