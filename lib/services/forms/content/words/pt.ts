import type { WordList } from './word-list';

export const pt: WordList = {
  password: [
    '{senha|senhas|palavra passe|palavras passe|palavra chave de acesso|palavra de passe}',
    '{frase secreta|frase passe}',
    '{dados|credenciais} de {acesso|login|início de sessão}',
  ],
  one_time_code: [
    '{dígitos|números|número|algarismos|código} que {lhe |te |} {enviamos|enviámos|mandamos|chegou|chegaram|recebeu|recebeste} {por|no|ao|via}',
    'código {do|no|de} {seu |teu |} {autenticador|aplicativo autenticador|aplicativo de autenticação}',
    'código{s|} {de |} {verificação|verificacao|confirmação|confirmacao|segurança|seguranca|autenticação|validação|ativação|acesso|uso único|recuperação|sms}',
    'código{s|} {que |} {recebido|recebeu|enviado|enviamos|te enviamos|lhe enviámos|você recebeu|chegou}',
    'código {por|via|do|no} {sms|whatsapp|mensagem}',
    'código de {4|6|quatro|seis} dígitos',
    'token {do banco|bancário|de segurança|do itoken}',
  ],
  pin: [
    '{código |} puk',
    '{código|codigo|número|numero} {pin|secreto}',
    '{pin|código|senha} {do cartão|do seu cartão|do multibanco|do caixa|do telemóvel}',
    '{seu|teu|novo|atual|o seu} pin',
    'senha de {4|6|quatro|seis} dígitos',
  ],
  secret_key: [
    '{frase|palavras} {semente|de recuperação|de recuperacao|seed|mnemônica|mnemónica|de segurança da carteira|secretas}',
    'chave{s|} {privada|secreta|api|de api|da api|de recuperação}{s|}',
    '{12|24|doze|vinte e quatro} palavras {de|da|secretas|da sua|de recuperação}',
  ],
  card: [
    '{três|3} {últimos |} {números|dígitos|algarismos} {atrás|no verso|detrás} do {seu |teu |} cartão',
    '{número|numero|números|dados|informações|dígitos} {do|de|no|da frente do} {seu |teu |} {cartão|cartao|cartões}',
    '{código|codigo|dígitos} {de segurança |de verificação |} {do|no verso do|atrás do} {seu |} cartão',
    '{16|dezasseis|dezesseis} dígitos',
    '{três|tres|3} dígitos {no verso|atrás|do verso}',
    '{validade|data de validade|vencimento|data de expiração} do {seu |teu |} cartão',
    '^{cartão de crédito|cartão de débito|cartão bancário}$',
  ],
  bank_account: [
    'agência {e |} conta {corrente|bancária|número|com dígito|}',
    '{número|numero|n|no} da {sua |} conta {bancária|corrente|poupança|}',
    '{dados|informações|detalhes} {bancários|bancarios|bancárias|da conta bancária|do banco|da sua conta}',
    '^conta {bancária|corrente}$',
    'conta bancária para',
    'agência e conta',
    '^nib$',
    '{agência bancária|chave pix|código swift|código bic}',
    '{acesso|usuário|utilizador|login|senha} {do|da|de|ao} {internet banking|homebanking|banco online|netbanking|home banking}',
  ],
  harmless: [
    '{quantas|número de|quantidade de} {senhas|palavras passe}',
    'com que frequência {muda|troca|altera|mudas|esquece} a {sua |tua |} {senha|palavra passe}',
    'agência {de viagens|de turismo|de emprego|de publicidade} e conta',
    'senha{s|} {de atendimento|da fila|de espera|do guichê}',
    'gerenciador{es|} de senhas',
    'gestor{es|} de {senhas|palavras passe}',
    '{número|dados} {do|de} {seu |} cartão {do sus|de cidadão|de sócio|de fidelidade|de visita|de estudante|da biblioteca|de embarque|de vacinação|de saúde|do cidadão|de utente|de membro|do clube|de ponto}',
    'número da conta {de água|de luz|de cliente|do cliente}',
    'código de confirmação da {reserva|encomenda|viagem}',
    'código de segurança {alimentar|rodoviária}',
  ],
  harmlessWithOptions: [
    '{muda|mudar|troca|trocar|esqueci|guarda|compartilha|reutiliza|usa|altera} {a |sua |suas |minha |a mesma |a sua |} {senha|senhas|palavra passe}',
    '{mesma|mesmas|muitas} {senha|senhas}',
    'senhas {fortes|seguras|diferentes}',
  ],
  fillers: [
    '{por favor|seu|sua|seus|suas|teu|tua|o|a|os|as|um|uma|digite|digita|insira|insere|introduza|introduzir|informe|informar|escreva|confirme|confirmar|repita|aqui|novamente|de novo|atual|novo|nova|antiga|e|de|do|da|qual é|qual a|completo|dígitos}',
  ],
  warningStarts: [
    '{nunca|não|nao|jamais} {digite|insira|introduza|partilhe|compartilhe|envie|escreva|informe|inclua|forneça}',
    'nunca {pedimos|pediremos|solicitamos|solicitaremos} {a |}',
  ],
  warningWords: [
    '{seu|sua|seus|suas|o|a|os|as|um|uma|de|do|da|ou|nem|e|aqui|neste|nesta|este|formulário|resposta|respostas|nas|dados|bancários|cartão|códigos|senhas}',
  ],
};
