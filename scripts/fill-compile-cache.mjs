// Starts the program once with every platform, so that the compile cache holds all that a start
// loads: for images, whose files cannot be written later, and for the tests, which kill most of the
// programs that they start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest time until the page is served: an emulated processor is slow. */
const START_MS = 120_000;

const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const flags = scripts.start.split(' ').filter((word) => word.startsWith('--'));

// It answers nothing, so that the platforms are loaded and wait.
const mute = createServer().listen(0, '127.0.0.1');
await once(mute, 'listening');
const platform = `http://127.0.0.1:${mute.address().port}`;

const folder = mkdtempSync(join(tmpdir(), 'dragoman-fill-'));
const words = [...flags, join(root, 'scripts/run.mjs'), join(root, 'main.ts')];
// In an empty folder and environment, so that nobody's own settings are read.
const program = spawn(process.execPath, words, {
  cwd: folder,
  env: {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: `sqlite:${join(folder, 'dragoman.db')}`,
    DISCORD_TOKEN: 'a.b.c',
    DISCORD_API_URL: platform,
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_APP_TOKEN: 'xapp-1',
    SLACK_API_URL: `${platform}/api/`,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const late = setTimeout(() => program.kill('SIGKILL'), START_MS);
let said = '';
program.stdout.setEncoding('utf8').on('data', (piece) => {
  said += piece;
  if (said.includes('Dragoman on web')) program.kill('SIGTERM');
});
const [code, signal] = await once(program, 'exit');
clearTimeout(late);
mute.close();
rmSync(folder, { recursive: true });
if (code !== 0) {
  console.error(`The program did not start and end well (${signal ?? code}):\n${said}`);
  process.exit(1);
}
