import { type ServiceClient } from '../api/client.ts';
import { type Services } from '../command/services.ts';
import { type MeteredServices } from '../usage/meter.ts';
import { type Space } from '../model/place.ts';
import { type ConsentChoice } from './consent/consent.ts';
import { type Texts } from '../i18n.ts';
import { type Log } from '../log.ts';
import { type Clock } from '../async/clock.ts';
/** The services that a room uses. */
export type RoomServices = MeteredServices &
  Pick<Services, 'glossary' | 'languages' | 'privacy' | 'settings'>;

export interface RoomDeps {
  readonly client: Pick<ServiceClient, 'transcribe'>;
  readonly services: RoomServices;
  readonly choiceOf: (space: Space, memberId: string) => Promise<ConsentChoice>;
  readonly texts: Texts;
  readonly log: Log;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
}
