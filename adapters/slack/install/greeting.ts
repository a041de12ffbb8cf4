import type { Api } from '../api.ts';
import { channelOf } from '../ids.ts';
import { NAMING } from '../manifest.ts';
import { openDirectChannel, type People } from '../people.ts';
import type { Installations } from './installations.ts';
import { firstSteps } from '../../../src/command/welcome.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import { isQuiet } from '../../../src/model/space.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import { logFailure } from '../../../src/telemetry/log.ts';

export interface GreetingDeps {
  readonly api: Api;
  readonly core: Pick<Core, 'texts' | 'log' | 'services'>;
  readonly people: Pick<People, 'of'>;
  readonly platform: Pick<Platform, 'post'>;
  readonly installations: Pick<Installations, 'known'>;
}

/**
 * Creates what introduces the app: to who installed it, in a direct message, and in a channel that somebody invited it
 * to; once each. A failure is logged.
 */
export const createGreeting = ({ api, core, people, platform, installations }: GreetingDeps) => {
  const { log, services, texts } = core;

  const localeOf = async (space: Space, userId: string): Promise<string> =>
    (await people.of(space, userId)).locale ?? 'en-US';

  return {
    installed: (space: Space, userId: string): Promise<unknown> =>
      logFailure(
        log,
        'Slack: who installed the app could not be sent the first steps',
        async () => {
          if (!(await services.spaces.greets(space, space.id))) return;
          const locale = await localeOf(space, userId);
          const name = installations.known(space)?.botName ?? '';
          const text = texts.rich(locale, NAMING)('slack.installed', { name });
          const controls = firstSteps(texts.in(locale, NAMING), ['translate', 'language', 'help']);
          const { id } = await openDirectChannel(api, space, userId);
          await platform.post(channelOf(space.id, id), { text, controls });
        },
      ),
    /** Takes an invitation; nothing is said where auto-translate is set up, or the channel is to be quiet. */
    invited: (channel: Channel, inviterId: string): Promise<unknown> =>
      logFailure(log, 'Slack: a channel was not told what the app does', async () => {
        const { space } = channel;
        if (services.watches.of(channel) || isQuiet(channel, await services.spaces.of(space)))
          return;
        if (!(await services.spaces.greets(space, channel.id))) return;
        const locale = await localeOf(space, inviterId);
        const text = texts.rich(locale, NAMING)('welcome.channel');
        const controls = firstSteps(texts.in(locale, NAMING), ['translate', 'language', 'help']);
        await platform.post(channel, { text, controls });
      }),
  };
};
