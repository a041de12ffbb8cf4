import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { type Browser, chromium } from 'playwright-core';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
];

/** The packaged browser looks for its fonts in /tmp, wherever it was unpacked, and ends without any. */
const correctFonts = async (): Promise<void> => {
  const path = join(tmpdir(), 'fonts', 'fonts.conf');
  const fonts = await readFile(path, 'utf8');
  await writeFile(path, fonts.replaceAll('>/tmp/fonts', `>${tmpdir()}/fonts`));
};

/** CHROMIUM_PATH, else the system's Chromium, else the one that comes as a development package. */
export const findChromium = async (): Promise<string> => {
  if (env['CHROMIUM_PATH']) return env['CHROMIUM_PATH'];
  if (existsSync(SYSTEM_CHROMIUM)) return SYSTEM_CHROMIUM;
  // It unpacks the libraries that a bare machine lacks only where it believes to be on Lambda.
  env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  const path = await packaged.executablePath();
  await correctFonts();
  return path;
};

/** Starts a browser whose microphone hears a WAV file once; default: a tone, again and again. */
export const launchBrowser = async (microphone?: string): Promise<Browser> =>
  chromium.launch({
    executablePath: await findChromium(),
    args: microphone ? [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}%noloop`] : FLAGS,
  });
