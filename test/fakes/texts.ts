import { join } from 'node:path';
import { loadTexts } from '../../src/i18n/texts.ts';

/** The real sentences, read and parsed once for all tests of a process. */
export const realTexts = loadTexts(join(import.meta.dirname, '../../locales'));
