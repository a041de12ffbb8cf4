import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Files that break one import rule each. */
const VIOLATIONS = {
  'src/core-knows-an-adapter.ts': "import '../adapters/web/index.ts';",
  'src/core-knows-a-command.ts': "import '../commands/help.ts';",
  'src/core-knows-the-service.ts': "import '../service/index.ts';",
  'src/core-knows-a-platform.ts': "import 'discord.js';",
  'src/core-reads-the-environment.ts': 'export const home = process.env.HOME;',
  'src/model/model-knows-the-core.ts': "import '../config.ts';",
  'src/model/model-knows-a-library.ts': "import 'zod';",
  'src/async/async-knows-errors.ts': "import '../errors.ts';",
  'src/async/async-knows-a-library.ts': "import 'kysely';",
  'src/ports/port-knows-the-core.ts':
    "import type { Log } from '../log.ts';\nexport type Port = Log;",
  'src/ports/port-runs-code-of-errors.ts':
    "import { AppError } from '../errors.ts';\nexport const port = AppError;",
  'src/ports/port-knows-a-library.ts': "import 'kysely';",
  'src/voice/voice-knows-commands.ts':
    "import type { Services } from '../command/services.ts';\nexport type Given = Services;",
  'src/voice/tts/voice-knows-commands.ts': "import '../../command/command.ts';",
  'src/usage/usage-knows-commands.ts':
    "import type { Services } from '../command/services.ts';\nexport type Given = Services;",
  'src/usage/usage-knows-voice.ts': "import '../voice/room-types.ts';",
  'src/usage/usage-knows-a-platform.ts': "import 'discord.js';",
  'src/audio/audio-knows-the-clock.ts': "import '../async/clock.ts';",
  'src/text/text-does-io.ts': "import 'node:fs';",
  'src/text/text-knows-the-client.ts': "import '../api/client.ts';",
  'src/text/protect/text-knows-the-client.ts': "import '../../api/client.ts';",
  'src/text/protect/text-does-io.ts': "import 'node:fs/promises';",
  'src/text/text-knows-a-type-of-the-client.ts':
    "import type { ServiceClient } from '../api/client.ts';\nexport type Client = ServiceClient;",
  'src/audio/opus/audio-knows-the-store.ts': "import '../../store/index.ts';",
  'src/audio/audio-keeps-logs.ts': "import 'pino';",
  'src/audio/audio-reads-a-clock.ts': 'export const now = Date.now();',
  'commands/command-knows-a-command.ts': "import './help.ts';",
  'commands/group/part-knows-a-command.ts': "import '../help.ts';",
  'commands/group/part-reaches-past-its-context.ts':
    "import '../../src/translation/translator.ts';",
  'commands/command-reaches-past-its-context.ts': "import '../src/translation/translator.ts';",
  'commands/command-names-what-it-is-not-given.ts':
    "import type { Room } from '../src/voice/room-types.ts';\nexport type Given = Room;",
  'commands/command-uses-a-port.ts': "import '../src/ports/platform.ts';",
  'commands/command-knows-an-adapter.ts': "import '../adapters/web/index.ts';",
  'commands/command-knows-a-platform.ts': "import 'discord.js';",
  'adapters/web/adapter-knows-a-command.ts': "import '../../commands/help.ts';",
  'adapters/web/adapter-knows-an-adapter.ts': "import '../discord/index.ts';",
  'adapters/discord/mirrors/adapter-knows-an-adapter.ts': "import '../../web/index.ts';",
  'adapters/web/adapter-knows-the-service.ts': "import '../../service/index.ts';",
  'adapters/web/adapter-knows-another-platform.ts': "import 'discord.js';",
  'adapters/discord/adapter-knows-another-platform.ts': "import 'hono';",
  'adapters/slack/adapter-knows-another-platform.ts': "import '@discordjs/voice';",
  'service/service-knows-an-adapter.ts': "import '../adapters/web/index.ts';",
  'service/engines/service-knows-the-core.ts': "import '../../src/app/core.ts';",
  'service/service-knows-the-client.ts': "import '../src/api/client.ts';",
} as const;

const ALLOWED = {
  'src/async/fine.ts': "import './lru.ts';\nimport 'node:timers/promises';",
  'src/model/fine.ts': "import './place.ts';\nimport 'node:buffer';",
  'src/ports/fine.ts':
    "import './voice.ts';\nimport '../model/place.ts';\nimport type { AppError } from '../errors.ts';\nexport type Port = AppError;",
  'src/voice/tts/fine.ts': "import '../../usage/meter.ts';\nimport '../../model/command-info.ts';",
  'src/usage/fine.ts': "import '../store/usage.ts';\nimport '../ports/voice.ts';",
  'src/audio/opus/fine.ts': "import '../../async/locks.ts';",
  'src/text/fine.ts': "import '../model/place.ts';\nimport './unicode.ts';",
  'src/text/protect/fine.ts':
    "import '../../model/place.ts';\nimport '../unicode.ts';\nimport './token.ts';",
  'commands/fine.ts':
    "import '../src/command/command.ts';\nimport '../src/model/place.ts';\nimport '../src/errors.ts';\nimport 'zod';\nimport type { Capabilities } from '../src/ports/platform.ts';\nexport type Given = Capabilities;",
  'commands/group/fine.ts':
    "import './other.ts';\nimport '../../src/command/command.ts';\nimport 'zod';",
  'adapters/web/fine.ts': "import '../../src/ports/platform.ts';\nimport 'hono';",
  'adapters/discord/mirrors/fine.ts':
    "import '../../../src/model/place.ts';\nimport '../api.ts';\nimport 'discord.js';",
  'service/engines/openai/fine.ts':
    "import '../../../src/audio/pcm.ts';\nimport '../../errors.ts';",
  'service/fine.ts':
    "import '../src/api/contract.ts';\nimport '../src/audio/codec/encode.ts';\nimport '../src/async/locks.ts';\nimport '../src/telemetry/trace-context.ts';",
} as const;

interface Lint {
  readonly stdout: string;
  readonly stderr: string;
  /** That it did not end with 0. */
  readonly error: Error | null;
}

let folder: string;
let report: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-rules-'));
  cpSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [path, content] of Object.entries({ ...VIOLATIONS, ...ALLOWED })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${content}\n`);
  }
  // The linter looks for `tsgolint` in the working folder, then in `PATH`, which an editor has without npm's folder.
  const bin = join(ROOT, 'node_modules/.bin');
  const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) };
  const args = [join(bin, 'oxlint'), '--format=unix', '-A', 'import'];
  const { stdout, stderr, error } = await new Promise<Lint>((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (fault, out, err) =>
      resolve({ error: fault, stdout: out, stderr: err }),
    );
  });
  report = stdout;
  // With violations it ends with 1, and so it does where it could not lint.
  if (!report.includes('problem')) throw new Error(`oxlint: ${stderr}${stdout}`, { cause: error });
});

/** The rules that stand for the table of the design; other rules complain of these files too. */
const complaints = (path: string): string[] =>
  report
    .split('\n')
    .filter((line) => line.startsWith(`${path}:`))
    .filter((line) => /eslint\(no-restricted-(?:imports|globals)\)|no-process-env/.test(line));

describe('the rules of who may import whom', () => {
  it.each(Object.keys(VIOLATIONS))('are broken by %s', (path) => {
    expect(complaints(path)).not.toEqual([]);
  });

  it.each(Object.keys(ALLOWED))('are kept by %s', (path) => {
    expect(complaints(path)).toEqual([]);
  });
});
