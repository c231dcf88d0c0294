import { callFilterOf, findCalls, metaDataOf } from './calls.js';
import { commentsOf, contentOf, contextOf } from './content.js';
import { type GongContext, listBody } from './context.js';
import { apiErrors } from './errors.js';
import { interactionOf } from './interaction.js';
import type { CallRow, PartyRow } from './rows.js';

/** The parts of a call that a request selects. */
interface Selector {
  context?: string;
  contextTiming?: unknown;
  exposedFields?: Record<string, any>;
}

const mediaScope = 'api:calls:read:media-url';

/** POST /v2/calls/extensive */
export function listExtensive(context: GongContext): object {
  const { body, grant } = context;
  const selector: Selector | undefined = body.contentSelector ?? undefined;
  checkSelector(selector);
  if (selector?.exposedFields?.media === true && grant.scopes && !grant.scopes.has(mediaScope)) {
    throw apiErrors.scope(mediaScope);
  }
  const matching = findCalls(context, callFilterOf(context), 'analysed');
  return listBody(context, 'calls', { ...matching, keyOf: ({ id }) => id }, (call) =>
    extensiveView(call, selector, context),
  );
}

function checkSelector(selector: Selector | undefined): void {
  if (selector === undefined) return;
  const { context = 'None', contextTiming } = selector;
  if (!['None', 'Basic', 'Extended'].includes(context)) {
    throw apiErrors.malformed('contentSelector.context: must be one of None, Basic, Extended');
  }
  if (contextTiming === undefined || contextTiming === null) return;
  if (context !== 'Extended') {
    throw apiErrors.malformed('contentSelector.contextTiming: is only allowed when context is Extended');
  }
  const timings = Array.isArray(contextTiming) ? contextTiming : [undefined];
  if (!timings.every((timing) => timing === 'Now' || timing === 'TimeOfCall')) {
    throw apiErrors.malformed('contentSelector.contextTiming: must be a list of Now and TimeOfCall');
  }
}

function extensiveView(call: CallRow, selector: Selector | undefined, requestContext: GongContext): object {
  const metaData = metaDataOf(call);
  if (!selector) return { metaData };
  const { exposedFields = {}, context = 'None', contextTiming } = selector;
  const { parties, content, interaction, collaboration, media } = exposedFields;
  const timings = Array.isArray(contextTiming) && contextTiming.length > 0 ? contextTiming : ['Now'];
  return {
    metaData,
    context: context === 'None' ? [] : contextOf(call, context, timings),
    ...(parties === true && { parties: call.parties.map(partyView) }),
    ...(selectsAnything(content) && { content: contentOf(call, content, requestContext.world) }),
    ...(selectsAnything(interaction) && { interaction: interactionOf(call, interaction) }),
    ...(selectsAnything(collaboration) && { collaboration: commentsOf(call, collaboration, requestContext) }),
    ...(media === true && mediaOf(call, requestContext)),
  };
}

/** Nulls are omitted: Gong returns little about unknown people. */
function partyView({ id, userId, name, email, title, phone, speakerId, affiliation, methods }: PartyRow) {
  return {
    id,
    ...(email !== null && { emailAddress: email }),
    ...(name !== null && { name }),
    ...(title !== null && { title }),
    ...(userId !== null && { userId }),
    speakerId,
    context: [],
    affiliation,
    ...(phone !== null && { phoneNumber: phone }),
    methods,
  };
}

function mediaOf(call: CallRow, { sign }: GongContext): { media?: { audioUrl?: string; videoUrl?: string } } {
  const { hasAudio, hasVideo } = call.recording;
  if (!hasAudio && !hasVideo) return {};
  const media = {
    ...(hasAudio && { audioUrl: sign(call, 'audio') }),
    ...(hasVideo && { videoUrl: sign(call, 'video') }),
  };
  return { media };
}

function selectsAnything(wanted: unknown): wanted is Record<string, any> {
  return typeof wanted === 'object' && wanted !== null && Object.values(wanted).some((value) => value === true);
}
