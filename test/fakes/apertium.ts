import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A program that works as `lt-proc -z` does: text up to a NUL in, text and a NUL out. Words are
 * looked up; superblanks and escapes pass. Holds the last word back until something follows, as
 * `lt-proc -b` does. Dies of the word "poison", never answers to "tarpit", and the last of two
 * answers to "flood" without end.
 */
const PROGRAM = `#!${process.execPath}
const WORDS = { hello: 'hola', fox: 'zorro', the: 'el', flood: 'torrent' };
if (!process.argv.includes('-z')) process.exit(2);
let waiting = '';
process.stdin.setEncoding('utf8').on('data', (part) => {
  waiting += part;
  for (let end = waiting.indexOf('\\0'); end >= 0; end = waiting.indexOf('\\0')) {
    const text = waiting.slice(0, end);
    waiting = waiting.slice(end + 1);
    if (text.includes('poison')) process.exit(1);
    if (text.includes('torrent')) process.stdout.write('x'.repeat(1_100_000));
    if (text.includes('torrent') || text.includes('tarpit') || !text.endsWith(']')) continue;
    if (/[@<>{}^$/]/.test(text.replace(/\\[\\[\\/\\]\\]|\\\\./g, ''))) process.exit(3);
    const said = text.replace(/\\[[^\\]]*\\]|\\\\.|[a-z]+/g, (word) => WORDS[word] ?? word);
    process.stdout.write(said + '\\0');
  }
});
`;

/** A program that passes on what it gets. */
const PASSING = `#!${process.execPath}
process.stdin.pipe(process.stdout);
`;

export interface FakeApertium extends Disposable {
  /** For SERVICE_APERTIUM_MODES. */
  readonly modes: string;
}

/** A folder of modes: `eng-spa` of two programs, and others that must be passed over. */
export const installFakeApertium = (): FakeApertium => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-apertium-'));
  const program = join(folder, 'lt-proc');
  const programs = {
    'lt-proc': PROGRAM,
    'apertium-wblank-attach': PASSING,
    'apertium-wblank-detach': PASSING,
  };
  for (const [name, source] of Object.entries(programs))
    writeFileSync(join(folder, name), source, { mode: 0o755 });
  const modes = join(folder, 'modes');
  mkdirSync(modes);
  const write = (name: string, text: string): void => writeFileSync(join(modes, name), text);
  write('eng-spa.mode', `${program} '/data/a file.bin' | ${program} $1 '/data/b.bin' $2\n`);
  write('eng-spa-morph.mode', `${program} '/data/a.bin'`);
  write('eng-fra.mode', `${program} '/data/a.bin' ; touch /tmp/owned`);
  write('eng-deu.mode', `python3 '/data/a.py'`);
  return { modes, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
};
