import { expect, it } from 'vitest';
import { createBuilder, type BuilderDeps } from '../../../adapters/slack/builder.ts';
import type { SlackUser } from '../../../adapters/slack/people.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const NEEDS = { place: 'channel', sources: [], roles: 0, hidden: false } as const;

const demandOf = async (isAdmin: boolean, ...scopes: readonly string[]): Promise<void> =>
  createBuilder({
    installations: { known: () => ({ scopes: new Set(scopes) }) },
    people: { of: async () => ({ isAdmin }) as SlackUser },
  } as unknown as BuilderDeps).demand(SPACE, { platform: 'slack', id: 'U1' }, NEEDS);

it('channels are made for owners and admins alone', async () => {
  await demandOf(true, 'channels:manage');
  await expect(demandOf(false, 'channels:manage')).rejects.toMatchObject({
    code: 'forbidden',
    sentence: { key: 'autotranslate.wizard-admins' },
  });
});

it('the scope that is missing is said before what a person has to do', async () => {
  await expect(demandOf(true)).rejects.toMatchObject({
    code: 'forbidden',
    sentence: { key: 'slack.may-not-make' },
  });
});
