/**
 * Draws docs/images/architecture.svg: `node scripts/draw-architecture.mjs`. With `--print` it writes the
 * drawing to the standard output instead.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FILE = 'docs/images/architecture.svg';

/**
 * The five ways, a row each: title, then the boxes from left to right. A box is its name, the folder or file that
 * it links to, what it does, and `true` where it asks the speech service. `undefined` leaves a gap.
 */
const WAYS = [
  [
    'A command',
    ['Interaction', 'adapters/discord/interactions', 'acknowledged in 3 s'],
    ['Dispatcher', 'src/command/dispatcher.ts', 'finds the command'],
    ['Options', 'src/command/options.ts', 'checks what was typed'],
    ['Command', 'commands', 'one file each', true],
    ['Updates', 'src/command/answer-updates.ts', 'at the platform’s pace'],
    ['Answer', 'adapters/discord/interactions/answer.ts', 'posts and edits'],
  ],
  [
    'A message in an auto-translate channel',
    ['Gateway event', 'adapters/discord/inbound', 'reads the message'],
    ['Ingest', 'src/autotranslate/ingest.ts', 'stores one durable row'],
    ['Partition worker', 'src/autotranslate/partition-worker.ts', 'keeps the order'],
    ['Prepare', 'src/autotranslate/prepare', 'protects, translates', true],
    ['Reconcile', 'src/autotranslate/mirror', 'compares and corrects'],
    ['Mirrors', 'adapters/discord/mirrors', 'posts as the author'],
  ],
  [
    'A voice packet to a caption',
    ['Receiver', 'adapters/discord/voice', 'RTP, DAVE'],
    ['Session', 'src/voice/session.ts', 'only with consent'],
    ['Endpointer', 'src/voice/stt/endpointer.ts', 'cuts at pauses'],
    ['Recognition', 'src/voice/stt/recognition-queue.ts', 'in Ogg, undecoded', true],
    ['Captions', 'src/voice/captions', 'ordered, translated', true],
    ['Messages', 'adapters/discord/platform.ts', 'posted, then edited'],
  ],
  [
    'Text to speech in a voice channel',
    ['Read aloud', 'adapters/discord/inbound', 'or /say, an answer'],
    ['Speaking', 'src/voice/tts/speaking.ts', 'speakable text, voice'],
    ['Speech queue', 'src/voice/tts/speech-queue.ts', 'by priority'],
    ['Synthesis', 'src/voice/tts/synthesis.ts', 'sentence by sentence', true],
    ['Playback', 'src/voice/tts/playback.ts', 'Opus, one ahead'],
    ['Player', 'adapters/discord/voice/player.ts', 'a packet every 20 ms'],
  ],
  [
    'A request to the service',
    undefined,
    ['Translator', 'src/translation/translator.ts', 'or transcriber, speaker'],
    ['Client', 'src/api/client.ts', 'one deadline a call'],
    ['Retry', 'src/api/retry.ts', 'here and nowhere else'],
    ['Transport', 'src/api/transport.ts', 'HTTP, connection pool'],
    ['Engine', 'service/engines', 'or a service elsewhere'],
  ],
];

/** The folders that every way builds on. */
const BASE = [
  ['src/model', 'message, content, place'],
  ['src/ports', 'what adapters implement'],
  ['src/text', 'pure: protect, split'],
  ['src/audio', 'pure: Ogg, Opus, codecs'],
  ['src/store', 'SQLite, inbox, settings'],
  ['src/async', 'clock, mutex, backoff'],
];

const PAD = 28;
const BOX = { width: 188, height: 74 };
const GAP = 24;
const COLUMNS = 6;
const HEAD = 54;
const ROW = 124;
const WIDTH = 2 * PAD + COLUMNS * BOX.width + (COLUMNS - 1) * GAP + 24;
const BASE_TOP = HEAD + WAYS.length * ROW + 22;
const HEIGHT = BASE_TOP + 142;

const xOf = (column) => PAD + 12 + column * (BOX.width + GAP);

const escape = (words) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const words = (className, x, y, content, anchor = 'start') =>
  `<text class="${className}" x="${x}" y="${y}" text-anchor="${anchor}">${escape(content)}</text>`;

/** The path as it fits into a box: without the folders that all of a column share. */
const short = (path) =>
  path.replace(/^adapters\/discord/, 'discord').replace(/^src\/autotranslate/, 'autotranslate');

const box = (x, y, [name, path, does, asks = false]) => {
  if (!existsSync(join(ROOT, path)))
    throw new Error(`the drawing names ${path}, which is not there`);
  const middle = x + BOX.width / 2;
  return [
    `<rect class="box" x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="9"/>`,
    asks ? `<circle class="asks" cx="${x + BOX.width - 13}" cy="${y + 13}" r="4.5"/>` : '',
    words('name', middle, y + 26, name, 'middle'),
    words('does', middle, y + 44, does, 'middle'),
    words('path', middle, y + 62, short(path).replace(/^src\//, ''), 'middle'),
  ].join('');
};

const arrow = (column, y) => {
  const from = xOf(column) + BOX.width + 3;
  const to = xOf(column + 1) - 4;
  return `<path class="arrow" d="M${from} ${y}H${to}m-6 -5l6 5l-6 5"/>`;
};

const way = ([title, ...boxes], row) => {
  const top = HEAD + row * ROW;
  const first = boxes.findIndex((one) => one !== undefined);
  return [
    words('title', xOf(first), top + 26, `${row + 1}  ${title}`),
    ...boxes.map((one, column) => (one ? box(xOf(column), top + 36, one) : '')),
    ...boxes
      .slice(1)
      .map((_, column) => (column >= first ? arrow(column, top + 36 + BOX.height / 2) : '')),
  ].join('\n');
};

/** The background of the columns that one folder holds. */
const band = (className, from, to, title) => {
  const x = xOf(from) - 12;
  const width = xOf(to) + BOX.width + 12 - x;
  const height = HEAD + WAYS.length * ROW + 4 - 14;
  return [
    `<rect class="${className}" x="${x}" y="14" width="${width}" height="${height}" rx="14"/>`,
    words('band', x + width / 2, 38, title, 'middle'),
  ].join('');
};

const base = () => {
  const width = WIDTH - 2 * PAD;
  return [
    `<rect class="ground" x="${PAD}" y="${BASE_TOP - 8}" width="${width}" height="76" rx="14"/>`,
    ...BASE.map(([path, does], column) => {
      if (!existsSync(join(ROOT, path))) throw new Error(`the drawing names ${path}`);
      const middle = xOf(column) + BOX.width / 2;
      return (
        words('name', middle, BASE_TOP + 25, path, 'middle') +
        words('does', middle, BASE_TOP + 46, does, 'middle')
      );
    }),
    `<circle class="asks" cx="${PAD + 18}" cy="${BASE_TOP + 94}" r="4.5"/>`,
    words('does', PAD + 32, BASE_TOP + 99, 'Asks the service: takes way 5.'),
    words(
      'does',
      WIDTH - PAD - 4,
      BASE_TOP + 99,
      'Paths are inside the folder named at the top of the column.',
      'end',
    ),
  ].join('\n');
};

const STYLE = `
  .page { fill: #ffffff } .edge { fill: #e7f0fd } .core { fill: #f1f3f6 } .ground { fill: #e9f5ec }
  .box { fill: #ffffff; stroke: #8a94a6; stroke-width: 1.2 }
  .arrow { fill: none; stroke: #57606f; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round }
  .asks { fill: #c2410c }
  text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1c2430 }
  .title { font-size: 15px; font-weight: 600 } .name { font-size: 15px; font-weight: 600 }
  .band { font-size: 14px; font-weight: 700; letter-spacing: 0.02em }
  .does { font-size: 12.5px; fill: #3f4a5a }
  .path { font-size: 11px; fill: #5a6475; font-family: ui-monospace, 'DejaVu Sans Mono', monospace }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .edge { fill: #14243a } .core { fill: #181d26 } .ground { fill: #14281c }
    .box { fill: #222936; stroke: #66728a } .arrow { stroke: #a9b4c6 } .asks { fill: #fb923c }
    text { fill: #e8edf5 } .does { fill: #b9c3d3 } .path { fill: #98a4b8 }
  }`;

const drawing = () =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    '<title>The five ways through Dragoman: from a platform’s adapter through the core and back</title>',
    `<style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}" rx="16"/>`,
    band('edge', 0, 0, 'adapters/'),
    band('core', 1, 4, 'src/ (and commands/)'),
    band('edge', 5, 5, 'adapters/ · service/'),
    ...WAYS.map(way),
    base(),
    '</svg>',
    '',
  ].join('\n');

if (process.argv.includes('--print')) process.stdout.write(drawing());
else writeFileSync(join(ROOT, FILE), drawing());
