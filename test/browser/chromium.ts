import { existsSync } from 'node:fs';
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

/** CHROMIUM_PATH, else the system's Chromium, else the one that comes as a development package. */
export const findChromium = async (): Promise<string> => {
  if (env['CHROMIUM_PATH']) return env['CHROMIUM_PATH'];
  if (existsSync(SYSTEM_CHROMIUM)) return SYSTEM_CHROMIUM;
  // It unpacks the libraries that a bare machine lacks only where it believes to be on Lambda.
  env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs22.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
};

/** Starts a browser whose microphone hears a WAV file once; default: a tone, again and again. */
export const launchBrowser = async (microphone?: string): Promise<Browser> =>
  chromium.launch({
    executablePath: await findChromium(),
    args: microphone ? [...FLAGS, `--use-file-for-fake-audio-capture=${microphone}%noloop`] : FLAGS,
  });
