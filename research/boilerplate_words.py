# ruff: noqa: E501 - sentences
"""The texts of boxes around articles, by language, for `research.boilerplate_pages`."""

from __future__ import annotations

#: Headings of teasers of other articles.
RELATED = {
    "en": ("Related articles", "You may also like", "More stories", "Read next", "Latest posts", "Recommended", "Trending now"),
    "de": ("Das könnte Sie auch interessieren", "Mehr zum Thema", "Weitere Artikel", "Neueste Beiträge", "Meistgelesen"),
    "fr": ("À lire aussi", "Sur le même sujet", "Articles récents", "Les plus lus", "Vous aimerez aussi"),
    "es": ("Te puede interesar", "Más noticias", "Lo más leído", "Artículos relacionados", "Últimas entradas"),
    "it": ("Leggi anche", "Potrebbe interessarti", "Articoli correlati", "I più letti"),
    "pt": ("Leia também", "Veja mais", "Artigos relacionados", "Mais lidas"),
    "nl": ("Lees ook", "Meer over dit onderwerp", "Meest gelezen", "Recente berichten"),
    "pl": ("Czytaj także", "Zobacz również", "Najczęściej czytane", "Powiązane artykuły"),
    "ru": ("Читайте также", "Похожие статьи", "Популярное", "Новости по теме"),
    "tr": ("İlginizi çekebilir", "Benzer haberler", "Çok okunanlar"),
    "el": ("Διαβάστε επίσης", "Σχετικά άρθρα", "Δημοφιλή"),
    "zh": ("相关文章", "推荐阅读", "热门新闻", "最新文章"),
    "ja": ("関連記事", "おすすめ記事", "人気の記事", "新着記事"),
    "ko": ("관련 기사", "많이 본 뉴스", "추천 기사"),
    "ar": ("مقالات ذات صلة", "اقرأ أيضا", "الأكثر قراءة"),
}  # fmt: skip

#: Links to the whole text of a teaser.
MORE = {
    "en": ("Read more", "Continue reading", "Full story →"),
    "de": ("Weiterlesen", "Mehr lesen", "mehr …"),
    "fr": ("Lire la suite", "En savoir plus"),
    "es": ("Leer más", "Seguir leyendo"),
    "it": ("Leggi tutto", "Continua a leggere"),
    "pt": ("Leia mais", "Continue lendo"),
    "nl": ("Lees verder", "Lees meer"),
    "pl": ("Czytaj więcej", "Więcej"),
    "ru": ("Читать далее", "Подробнее"),
    "tr": ("Devamını oku",),
    "el": ("Διαβάστε περισσότερα",),
    "zh": ("阅读全文", "查看详情"),
    "ja": ("続きを読む", "もっと見る"),
    "ko": ("더 보기", "전체 읽기"),
    "ar": ("اقرأ المزيد",),
}  # fmt: skip

#: Boxes about an author; {name} is the author's.
AUTHOR = {
    "en": ("{name} is a writer and editor who covers local news and culture. Before joining us, {name} worked for several regional papers.", "{name} has been writing about technology for more than ten years and lives with a dog and too many books. Follow {name} for updates.", "About the author: {name} studied economics and reports on business, labour and money. Send tips by mail."),
    "de": ("{name} arbeitet seit vielen Jahren als Redakteurin und schreibt über Kultur und Gesellschaft. Davor war {name} freie Journalistin.", "Über den Autor: {name} hat Politik studiert und berichtet über Wirtschaft und Verkehr."),
    "fr": ("{name} est journaliste et suit la vie politique et culturelle depuis dix ans. Vous pouvez lui écrire par courriel.", "À propos de l'auteur : {name} a étudié l'histoire et collabore avec plusieurs magazines."),
    "es": ("{name} es periodista y escribe sobre cultura, economía y ciudad. Antes trabajó en varios diarios regionales.", "Sobre el autor: {name} estudió comunicación y sigue la actualidad desde hace una década."),
    "it": ("{name} è giornalista e scrive di cultura e società. In passato ha collaborato con diverse testate locali.",),
    "pt": ("{name} é jornalista e escreve sobre cultura e economia. Já trabalhou em vários jornais regionais.",),
    "nl": ("{name} is redacteur en schrijft over cultuur en economie. Eerder werkte {name} voor regionale kranten.",),
    "pl": ("{name} jest dziennikarzem i pisze o kulturze oraz gospodarce. Wcześniej pracował w kilku gazetach regionalnych.",),
    "ru": ("{name} — журналист, пишет о культуре и экономике. Раньше работал в нескольких региональных изданиях.",),
    "zh": ("{name}，记者，长期关注文化与经济报道，曾在多家地方报社工作。",),
    "ja": ("{name}：記者。文化や経済を中心に取材している。以前は地方紙に勤務していた。",),
}  # fmt: skip

#: Dialogs about cookies, and boxes that ask for an address or money: paragraphs.
NOTICES = {
    "en": (("We value your privacy", "We and our partners store and access information on a device, such as cookies, and process personal data to provide personalised ads and content, to measure them and to develop our services.", "You can change your choices at any time. Some partners process your data on the basis of a legitimate interest, to which you may object."), ("Stay up to date", "Sign up for our weekly newsletter and get the best stories straight to your inbox. We never share your address, and you can unsubscribe at any time."), ("Support our work", "Independent reporting costs money. If you like what you read, consider becoming a member from five dollars a month.")),
    "de": (("Wir schätzen Ihre Privatsphäre", "Wir und unsere Partner verwenden Cookies und ähnliche Techniken, um Inhalte und Anzeigen anzupassen, Funktionen anzubieten und Zugriffe auszuwerten.", "Ihre Einwilligung können Sie jederzeit mit Wirkung für die Zukunft widerrufen. Näheres steht in der Datenschutzerklärung."), ("Newsletter", "Melden Sie sich für unseren Newsletter an und erhalten Sie jeden Freitag die wichtigsten Beiträge der Woche. Sie können sich jederzeit abmelden.")),
    "fr": (("Votre vie privée compte", "Nous et nos partenaires utilisons des cookies afin de mesurer l'audience, de personnaliser les contenus et d'afficher de la publicité.", "Vous pouvez modifier vos choix à tout moment en cliquant sur le lien en bas de page."), ("Lettre d'information", "Inscrivez-vous pour recevoir chaque semaine une sélection de nos articles. Vous pouvez vous désinscrire à tout moment.")),
    "es": (("Tu privacidad es importante", "Nosotros y nuestros socios usamos cookies para analizar el tráfico, personalizar los contenidos y mostrar publicidad.", "Puedes cambiar tus preferencias o retirar tu consentimiento en cualquier momento."), ("Boletín", "Suscríbete y recibe cada semana una selección de nuestras mejores historias en tu correo.")),
    "it": (("La tua privacy", "Noi e i nostri partner utilizziamo cookie per analizzare il traffico, personalizzare i contenuti e mostrare annunci. Puoi modificare le tue scelte in qualsiasi momento."),),
    "pt": (("A sua privacidade", "Nós e os nossos parceiros usamos cookies para analisar o tráfego, personalizar conteúdos e mostrar anúncios. Pode alterar as suas escolhas a qualquer momento."),),
    "nl": (("Uw privacy", "Wij en onze partners gebruiken cookies om inhoud en advertenties aan te passen en het bezoek te meten. U kunt uw keuze altijd wijzigen."),),
    "pl": (("Twoja prywatność", "My i nasi partnerzy używamy plików cookie, aby mierzyć ruch, dopasowywać treści i wyświetlać reklamy. Swoją decyzję możesz zmienić w każdej chwili."),),
    "ru": (("Ваша конфиденциальность", "Мы и наши партнёры используем файлы cookie, чтобы измерять посещаемость, подбирать материалы и показывать рекламу. Вы можете изменить свой выбор в любое время."),),
    "zh": (("我们重视您的隐私", "我们和合作伙伴使用Cookie来分析流量、提供个性化内容和广告。您可以随时更改您的选择。"),),
    "ja": (("プライバシーについて", "当サイトと提携先は、アクセスの分析やコンテンツの最適化、広告の表示のためにCookieを使用します。設定はいつでも変更できます。"),),
}  # fmt: skip

#: Buttons of such boxes.
BUTTONS = {
    "en": ("Accept all", "Reject", "Manage choices", "Subscribe"),
    "de": ("Alle akzeptieren", "Ablehnen", "Einstellungen"),
    "fr": ("Tout accepter", "Refuser", "Paramétrer"),
    "es": ("Aceptar todo", "Rechazar", "Configurar"),
    "zh": ("全部接受", "拒绝"),
    "ja": ("すべて許可", "拒否する"),
}  # fmt: skip
