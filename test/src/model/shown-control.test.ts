import { describe, expect, it } from 'vitest';
import { offers, shownControl } from '../../../src/model/shown-control.ts';

const choices = ['a', 'b', 'c'].map((value) => ({ value, label: value, chosen: value === 'b' }));
const common = { press: 'test it', label: 'It' };

describe('a control', () => {
  it.each([
    ['button', [], true],
    ['button', ['a'], false],
    ['one', ['a'], true],
    ['one', [], false],
    ['one', ['a', 'b'], false],
    ['one', ['d'], false],
    ['several', [], true],
    ['several', ['c', 'a'], true],
    ['several', ['a', 'a'], false],
    ['several', ['a', 'b', 'c'], false],
    ['channels', ['any', 'other'], true],
    ['channel', ['any'], true],
    ['channel', ['any', 'other'], false],
  ] as const)('that is a %s offers %j: %s', (name, values, offered) => {
    const controls = {
      button: { ...common, kind: 'button' },
      one: { ...common, kind: 'choice', choices },
      several: { ...common, kind: 'choice', choices, most: 2 },
      channels: { ...common, kind: 'channels', chosen: [] },
      channel: { ...common, kind: 'channels', chosen: [], single: true },
    } as const;
    expect(offers(shownControl(controls[name]), values)).toBe(offered);
  });

  it('shows what is chosen', () => {
    expect(shownControl({ ...common, kind: 'choice', choices }).chosen).toEqual(['b']);
  });

  it('that is not there offers nothing', () => {
    expect(offers(undefined, [])).toBe(false);
  });
});
