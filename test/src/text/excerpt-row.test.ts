import { describe, expect, it } from 'vitest';
import { code, link, text } from '../../../src/rich-text/rich-text.ts';
import { excerptRow, rowChars } from '../../../src/text/excerpt-row.ts';
import { tree } from '../../fakes/markup.ts';

const PHOTOS = 'https://example.com/photos/2026';

describe('an excerpt for readers', () => {
  it('keeps addresses and labelled links whole', () => {
    expect(excerptRow(tree(`**see**\n${PHOTOS} or [the *docs*](${PHOTOS}?a_b=1)!`), 200)).toEqual([
      text('see '),
      link(PHOTOS),
      text(' or '),
      link(`${PHOTOS}?a_b=1`, text('the docs')),
      text('!'),
    ]);
  });

  it('leaves out a link that does not fit, and what stands behind it', () => {
    expect(excerptRow(tree(`see ${PHOTOS} now`), 20)).toEqual([text('see '), text('…')]);
    expect(excerptRow(tree(`${PHOTOS} and more`), PHOTOS.length + 5)).toEqual([
      link(PHOTOS),
      text(' and…'),
    ]);
  });

  it('keeps code as code, in one row', () => {
    expect(excerptRow(tree('run `npm  ci` ||`x`||\n```\nlet a;\n  b();\n```'), 200)).toEqual([
      text('run '),
      code('npm ci'),
      text(' ▒▒▒ '),
      code('let a; b();'),
    ]);
    expect(excerptRow(tree('run `npm ci`'), 7)).toEqual([text('run '), code('np…')]);
  });

  it('shows no spoiler, and no link in one', () => {
    expect(excerptRow(tree(`it was ||${PHOTOS} <@1>||!`), 200)).toEqual([text('it was ▒▒▒!')]);
  });

  it('is as long as its words and addresses', () => {
    expect(rowChars(excerptRow(tree(`a ${PHOTOS} [b](${PHOTOS})`), 200))).toBe(
      'a  b'.length + 2 * PHOTOS.length,
    );
  });
});
