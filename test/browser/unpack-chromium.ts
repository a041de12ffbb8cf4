import { env } from 'node:process';
import { findChromium } from './chromium.ts';

/** Unpacks the browser before files of tests begin, which would each write it at the same time. */
export const setup = async (): Promise<void> => {
  env['CHROMIUM_PATH'] = await findChromium();
};
