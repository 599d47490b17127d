/** The tool as plain objects: what every runtime's dialect is a projection of. */
import { AGENT_ID_MAX_LENGTH, EVIDENCE_CEILING, TIPOS } from '../../schemas/index.ts';
import { TOOL_NAME } from '../../wire/index.ts';

export const toolDefinition = {
  name: TOOL_NAME,
  description:
    'Records that an AGENT of this session failed: it looped (laco), the user cancelled its turn (cancelamento_pelo_usuario), or the user repaired its mistake (reparo_pelo_usuario). Use it instead of turning the failure into a trait of the person. Say which agent, which kind, and the ids of the events that show it; nothing else is kept. It does not end the round and needs no approval.',
  inputSchema: {
    type: 'object',
    properties: {
      agente: {
        type: 'string',
        description:
          "The slug of the agent that failed, as the session names it; not a display name, never a person's name.",
        pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
        maxLength: AGENT_ID_MAX_LENGTH,
      },
      tipo: {
        type: 'string',
        enum: [...TIPOS],
        description:
          "laco: it repeated itself without progress. cancelamento_pelo_usuario: the user cancelled its turn. reparo_pelo_usuario: the user did or put right the agent's work.",
      },
      evidenceEventIds: {
        type: 'array',
        items: { type: 'string', format: 'uuid' },
        maxItems: EVIDENCE_CEILING,
        description: `Ids of events of this session that show the failure, at most ${EVIDENCE_CEILING}; empty when you have none. Copy ids, never write text.`,
      },
    },
    required: ['agente', 'tipo', 'evidenceEventIds'],
    additionalProperties: false,
  },
} as const;
