import { expect, it } from 'vitest';
import { createHearing } from '../../../src/voice/hearing.ts';
import type { HearingState } from '../../../src/voice/room-answers.ts';

type Deps = Parameters<typeof createHearing>[0];

const CAPTIONED: Deps = {
  isHere: () => true,
  optedOut: async () => false,
  choiceOf: async () => undefined,
  rule: () => 'told',
  areCaptionsOn: () => true,
  isCaptioned: () => true,
  link: { isAway: () => false, isInaudible: () => false },
};

const link = CAPTIONED.link;

it.each<[HearingState, Partial<Deps>]>([
  ['captioned', {}],
  ['not-here', { isHere: () => false }],
  ['opted-out', { optedOut: async () => true, areCaptionsOn: () => false }],
  ['refused', { choiceOf: async () => 'refused', isCaptioned: () => false }],
  ['no-captions', { areCaptionsOn: () => false, isCaptioned: () => false }],
  ['disconnected', { link: { ...link, isAway: () => true } }],
  ['unreadable', { link: { ...link, isInaudible: () => true } }],
  ['not-agreed', { rule: () => 'agreed', isCaptioned: () => false }],
  ['not-told', { isCaptioned: () => false }],
  ['not-told', { rule: () => 'agreed', choiceOf: async () => 'allowed', isCaptioned: () => false }],
])('a member is told: %s', async (state, part) => {
  expect(await createHearing({ ...CAPTIONED, ...part })('ann')).toBe(state);
});
