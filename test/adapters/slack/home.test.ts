import { expect, test } from 'vitest';
import type { Api } from '../../../adapters/slack/api.ts';
import { createHome } from '../../../adapters/slack/home.ts';
import type { Core } from '../../../src/adapter.ts';
import type { CommandInfo } from '../../../src/model/command-info.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import type { Member } from '../../../src/model/place.ts';
import { rich } from '../../fakes/rich-text.ts';
import { realTexts } from '../../fakes/texts.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const ANN: Member = { platform: 'slack', id: 'U1', name: 'Ann', locale: 'en', role: 'moderator' };

const info = (name: string) => ({ name, summary: name }) as Partial<CommandInfo> as CommandInfo;

const open = () => {
  const pressed: unknown[] = [];
  const published: string[] = [];
  const api = {
    call: async (_space: unknown, _method: unknown, sent: unknown) => {
      published.push(JSON.stringify(sent));
      return {};
    },
  } as Partial<Api> as Api;
  const core = {
    log: silentLog,
    texts: realTexts,
    commands: () => [info('settings'), info('language')],
    dispatch: async ({ command, answer }) => answer.show({ text: rich(`of ${command}`) }),
    press: async ({ press, values, answer }) => {
      pressed.push([press, values]);
      await answer.show({ text: rich('the key is set') });
    },
  } as Partial<Core> as Core;
  const deps = {
    api,
    core,
    people: {},
    mentions: { on: async (_: unknown, content: unknown) => content },
    uploads: {},
    steps: async () => [],
  } as unknown as Parameters<typeof createHome>[0];
  const home = createHome(deps, new AbortController().signal);
  return { home, pressed, published };
};

test('what was entered in a form arrives, also where App Home was forgotten meanwhile', async () => {
  const { home, pressed, published } = open();
  const press = {
    press: 'settings set-key',
    values: ['svck:own'],
    control: {},
    blockId: 'settings/0',
  };
  await home.press(SPACE, ANN, press);
  expect(pressed).toEqual([['settings set-key', ['svck:own']]]);
  expect(published).toHaveLength(1);
  expect(published[0]).toContain('the key is set');
  expect(published[0]).toContain('of language');
  expect(published[0]).not.toContain('of settings');
});
