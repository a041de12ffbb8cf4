import type { LinkMember } from '../../../src/model/watches.ts';
import { SPACE, type CommandHarness } from '../../fakes/command-harness.ts';

/** The watches of the harness's space. */
export const watchesOf = ({ services }: CommandHarness) =>
  services.watches.list(SPACE).map(({ channel, mode, languages, transcribes, bots }) => ({
    id: channel.id,
    mode,
    languages,
    transcribes,
    bots,
  }));

/** A channel of another platform. */
export const placeOfSetup = (platform: string) => ({ space: { platform, id: 'space' }, id: '100' });

/** A channel of another server, which is linked with one of the harness's space. */
export const memberElsewhere = (given: Partial<LinkMember> = {}): LinkMember => ({
  key: 'slack C8',
  platform: 'slack',
  languages: ['es'],
  name: '#there',
  mayRemove: true,
  isMuted: false,
  ...given,
});
