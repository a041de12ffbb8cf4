import { describe, expect, it } from 'vitest';
import { imageAdvice } from '../../../src/process/program.ts';
import { splitInstruction } from '../../../src/text/instruction.ts';

describe('advice in an image', () => {
  it('makes a package a part of the next image', () => {
    expect(imageAdvice('apt-get install -y apertium-eng-spa')).toBe(
      'build the image with APT_PACKAGES=apertium-eng-spa',
    );
  });

  it('names the command that the image has in place of npm', () => {
    expect(imageAdvice('run npm run setup, or set SERVICE_OPENAI_URL')).toBe(
      'run dragoman setup, or set SERVICE_OPENAI_URL',
    );
    expect(imageAdvice('npm run db -- COMMAND, or npm run setup --small')).toBe(
      'dragoman db COMMAND, or dragoman setup --small',
    );
  });

  it('is shown as code, as other commands and variables are', () => {
    const shown = imageAdvice('apt-get install -y ffmpeg, or run npm run setup');
    expect(splitInstruction(shown)).toEqual([
      'build the image with ',
      'APT_PACKAGES=ffmpeg',
      ', or run ',
      'dragoman setup',
      '',
    ]);
  });
});
