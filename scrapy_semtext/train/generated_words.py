"""The words of the interfaces of generated sites, by language: `words_of_interface`."""

# ruff: noqa: E501 - a key a line
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

#: A key a line, with alternatives divided by bars. {n}, {m}: numbers, {name}: a member, {date}: a date, {title}: of the page.
#: In ``dates``: {D} day, {M} name of the month, {m} its number, {Y} year, {H}:{N} clock; {a} a number of hours or days.
_TABLE = """
[en]
menu=Home|Forum|Blog|Members|About|Contact|Archive|Shop|Help|Rules|Wiki|Gallery|Downloads|News|Topics|Products
account=Log in|Register|Sign in|Search|Search this site|Log in or sign up|My account|Forgot password?
actions=Reply|Quote|Report|Like|Share|Permalink|Multi-quote|Flag|Edit|Link|Private message|Thanks|Top|Reply to this
said={name} wrote:|{name} said:|Quote:|Originally posted by {name}|{name} wrote on {date}:|Quote from: {name} on {date}
says=says:|wrote:|said|on||
by=by |Posted by |From: |Author: ||
ranks=Member|Senior Member|Newbie|Administrator|Moderator|Regular|Expert|Junior Member|Guru|OP|Author|Staff
stats=Posts: {n}|Joined: {date}|Location: Leeds|Reputation: {n}|{n} posts|Member since {date}|Likes received: {n}|Offline|{n} points|Gender: Male
edited=Last edited by {name} on {date}; edited {n} times in total.|Edited {date}|Last edited: {date}|edited by {name}
answers={n} Answers|Answers|{n} Replies|Replies ({n})|Responses|All replies|Discussion|{n} answers, sorted by votes
comments={n} Comments|Comments ({n})|Comments|{n} thoughts on “{title}”|{n} responses to “{title}”|Reader comments|Join the discussion|What readers say|Leave a comment
none=No comments yet.|Be the first to comment.|0 comments|There are no comments yet|Comments are closed.|Comments off
form=Leave a reply|Post a comment|Add your comment|Write a reply|Quick reply|Your answer|Log in to comment
fields=Name|Email|Website|Comment|Submit|Your email address will not be published.|Save my name in this browser for the next time I comment.|Notify me of follow-up comments by email.
policy=Please be polite. Comments that are off topic or offend others will be removed by our editors.|All comments are moderated before they appear.|By commenting you agree to our house rules and to the storage of your address.
ping=Pingback: |Trackback from |Trackbacks/Pingbacks|Mentioned by
page=Page {n} of {m}|Page {n}/{m}|Page {n}|{n} of {m}
turn=Next|Previous|« First|Last »|›|Older posts|Newer posts
board=Topic|Author|Replies|Views|Last post|Topics|Started by|Activity|Board|Moderator
boards=General|Support|Announcements|Off topic|Hardware|Introductions|Garden|Travel|Marketplace|How-to|Bugs|Ideas
tools=New topic|Post reply|Watch this topic|Print view|Topic tools|Mark all read|Subscribe|Email a friend|Newest first|Oldest first|Best|Show all
labels=[Solved]|[copy link]|[C]|Sticky:|Poll:|[Closed]|New|Question
gone=This post was deleted by a moderator.|Message removed.|[deleted]|This user's post is hidden. Show it|Post under review
events={name} closed this topic on {date}.|This topic was moved to General.|{name} joined the conversation|This topic is now locked.|Status changed from New to Open|{name} changed the title|{name} added the label bug|3 more replies
ads=Advertisement|Sponsored|Hide ads: register for free|Our partners: hosting from 2.99 a month, first month free.
denied=You are not logged in or you do not have permission to access this page.|The page you requested was not found.|You must log in to view this forum.|Your search returned no results. Try other words.|Thank you. Your message was sent and you are taken back now.|Registration is closed at the moment.
accepted=Accepted answer|Solution|Best answer|✓|Marked as solved|Answer chosen by the author
helpful=Was this helpful?|Yes|No|{n} of {m} found this helpful|Still have questions? Contact us
related=Similar topics|Related posts|You may also like|Related questions|Read next|More stories
recent=Recent posts|Recent comments|Archives|Categories|Tags|Who is online|Popular|Latest topics|Statistics|Follow us|Newsletter
legal=Imprint|Privacy|Terms|Contact|All rights reserved|Cookie settings|Powered by|Site map|RSS
cookie=We use cookies to make this site work and to measure how it is used. You can change your choice at any time.|Accept all|Reject|Settings
more=Read more|Continue reading|Full story|More …
rights=You cannot post new topics in this forum|You cannot reply to topics in this forum|You cannot edit your posts|Users browsing this forum: no registered users and 2 guests|Jump to:|All times are UTC
share=Share|Tweet|Print|Email|Save|Filed under|Tags|Written by
fields2=Status|Priority|Assigned to|Version|Component|Reporter|Created|Updated|Milestone|Severity
values=Open|Normal|nobody|1.2|core|High|closed|Fixed|3.0|Low|Waiting for customer
shop=Add to cart|In stock|Price|Quantity|Description|Specification|Delivery in 2 to 4 days|Weight|Colour|Material|Brand|Size|Reviews (0)|Customers also bought
manual=Contents|Next: |Previous: |On this page|Edit this page|Note|Example|See also|Version|Last updated
asked=asked|answered|commented|viewed {n} times|{n} votes
months=January|February|March|April|May|June|July|August|September|October|November|December
dates={M} {D}, {Y} at {H}:{N}|{D} {M} {Y}|{M} {D}, {Y}|{Y}-{m}-{D} {H}:{N}|{m}/{D}/{Y}|{H}:{N}, {D} {M} {Y}|{a} hours ago|{a} days ago|{M} {D} {Y}, {H}:{N} PM
[de]
menu=Startseite|Forum|Blog|Mitglieder|Über uns|Kontakt|Archiv|Shop|Hilfe|Regeln|Galerie|Neuigkeiten|Themen
account=Anmelden|Registrieren|Suche|Passwort vergessen?|Mein Konto|Kostenlos mitmachen
actions=Antworten|Zitieren|Melden|Gefällt mir|Teilen|Link|Danke|Nach oben|Private Nachricht|Beitrag melden
said={name} schrieb:|{name} hat geschrieben:|Zitat:|Zitat von {name}|{name} schrieb am {date}:
says=sagt:|schrieb:|meint|am||
by=von |Verfasst von |Von: ||
ranks=Mitglied|Neuling|Administrator|Moderator|Stammgast|Profi|Autor|Erfahrener Benutzer
stats=Beiträge: {n}|Registriert: {date}|Wohnort: Köln|{n} Beiträge|Dabei seit {date}|Danksagungen: {n}|Offline
edited=Zuletzt geändert von {name} am {date}, insgesamt {n}-mal geändert.|Bearbeitet: {date}|Geändert am {date}
answers={n} Antworten|Antworten|Antworten ({n})|Beiträge|Diskussion
comments={n} Kommentare|Kommentare ({n})|Kommentare|{n} Gedanken zu „{title}“|Leserkommentare|Ihre Meinung
none=Noch keine Kommentare.|Schreiben Sie den ersten Kommentar.|0 Kommentare|Kommentare sind geschlossen.
form=Schreibe einen Kommentar|Antwort schreiben|Kommentar verfassen|Schnellantwort|Bitte anmelden, um zu kommentieren
fields=Name|E-Mail|Webseite|Kommentar|Absenden|Deine E-Mail-Adresse wird nicht veröffentlicht.|Über neue Kommentare benachrichtigen
policy=Bitte bleiben Sie sachlich. Beleidigungen und Werbung werden von der Redaktion gelöscht.|Alle Kommentare werden vor der Freischaltung geprüft.
ping=Pingback: |Trackback von
page=Seite {n} von {m}|Seite {n}/{m}|{n} von {m}
turn=Nächste|Vorherige|« Erste|Letzte »|Ältere Beiträge|Neuere Beiträge
board=Thema|Autor|Antworten|Zugriffe|Letzter Beitrag|Themen|Forum
boards=Allgemeines|Hilfe|Ankündigungen|Plauderecke|Technik|Vorstellung|Garten|Reisen|Marktplatz
tools=Neues Thema|Antwort erstellen|Thema beobachten|Druckansicht|Themen-Optionen|Neueste zuerst|Älteste zuerst
labels=[Gelöst]|Wichtig:|Umfrage:|[Geschlossen]|Frage
gone=Dieser Beitrag wurde von einem Moderator gelöscht.|Beitrag entfernt.|[gelöscht]|Beitrag ausgeblendet. Anzeigen
events={name} hat das Thema am {date} geschlossen.|Das Thema wurde verschoben.|{name} hat den Titel geändert|Status von Neu auf Offen geändert
ads=Anzeige|Werbung|Weniger Werbung? Jetzt kostenlos registrieren!
denied=Sie sind nicht angemeldet oder haben keine Rechte, diese Seite zu sehen.|Die Seite wurde nicht gefunden.|Ihre Suche ergab keine Treffer.|Vielen Dank, Ihr Beitrag wurde gespeichert. Sie werden weitergeleitet.
accepted=Akzeptierte Antwort|Lösung|Beste Antwort|✓|Als gelöst markiert
helpful=War das hilfreich?|Ja|Nein|{n} von {m} fanden dies hilfreich|Noch Fragen? Schreiben Sie uns
related=Ähnliche Themen|Ähnliche Beiträge|Das könnte Sie auch interessieren|Mehr zum Thema|Verwandte Fragen
recent=Neueste Beiträge|Neueste Kommentare|Archiv|Kategorien|Schlagwörter|Wer ist online|Beliebt|Statistik|Newsletter
legal=Impressum|Datenschutz|AGB|Kontakt|Alle Rechte vorbehalten|Cookie-Einstellungen|Powered by|Sitemap
cookie=Wir verwenden Cookies, damit diese Seite funktioniert und um ihre Nutzung zu messen. Ihre Auswahl können Sie jederzeit ändern.|Alle akzeptieren|Ablehnen|Einstellungen
more=Weiterlesen|Mehr lesen|Zum Artikel|mehr …
rights=Sie dürfen keine neuen Themen erstellen|Sie dürfen keine Antworten schreiben|Mitglieder in diesem Forum: 0 Mitglieder und 3 Gäste|Gehe zu:|Alle Zeiten sind UTC+1
share=Teilen|Drucken|Merken|Kategorie|Schlagwörter|Geschrieben von
fields2=Status|Priorität|Zuständig|Version|Komponente|Gemeldet von|Erstellt|Geändert
values=Offen|Normal|niemand|1.2|Kern|Hoch|geschlossen|Erledigt
shop=In den Warenkorb|Auf Lager|Preis|Menge|Beschreibung|Technische Daten|Lieferzeit 2 bis 4 Tage|Gewicht|Farbe|Marke|Kunden kauften auch
manual=Inhalt|Weiter: |Zurück: |Auf dieser Seite|Seite bearbeiten|Hinweis|Beispiel|Siehe auch|Stand
asked=gefragt|geantwortet|kommentiert|{n}-mal gesehen|{n} Stimmen
months=Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember
dates={D}. {M} {Y}, {H}:{N}|{D}.{m}.{Y}, {H}:{N}|{D}. {M} {Y}|{Y}-{m}-{D}|vor {a} Stunden|vor {a} Tagen|{D}.{m}.{Y} um {H}:{N} Uhr
[fr]
menu=Accueil|Forum|Blog|Membres|À propos|Contact|Archives|Boutique|Aide|Actualités|Sujets
account=Connexion|Inscription|Rechercher|Mot de passe oublié ?|Mon compte
actions=Répondre|Citer|Signaler|J'aime|Partager|Lien permanent|Merci|Haut|Message privé
said={name} a écrit :|{name} a dit :|Citation :|Citation de {name}
says=a dit :|dit :|a écrit :|le||
by=par |Posté par |De : ||
ranks=Membre|Nouveau|Administrateur|Modérateur|Habitué|Auteur
stats=Messages : {n}|Inscrit le {date}|Localisation : Lyon|{n} messages|Hors ligne
edited=Dernière modification par {name} le {date}|Modifié le {date}
answers={n} réponses|Réponses|Réponses ({n})|Discussion
comments={n} commentaires|Commentaires ({n})|Commentaires|{n} réflexions sur « {title} »|Vos réactions
none=Aucun commentaire.|Soyez le premier à commenter.|Les commentaires sont fermés.
form=Laisser un commentaire|Répondre|Ajouter un commentaire|Réponse rapide
fields=Nom|Adresse e-mail|Site web|Commentaire|Envoyer|Votre adresse e-mail ne sera pas publiée.
policy=Merci de rester courtois : les propos injurieux seront supprimés par la rédaction.
ping=Ping : |Rétrolien de
page=Page {n} sur {m}|Page {n}/{m}
turn=Suivant|Précédent|« Première|Dernière »|Articles plus anciens
board=Sujet|Auteur|Réponses|Vues|Dernier message|Forum
boards=Général|Entraide|Annonces|Hors sujet|Matériel|Présentations|Jardin|Voyages
tools=Nouveau sujet|Répondre|Suivre ce sujet|Version imprimable|Plus récents|Plus anciens
labels=[Résolu]|[copier le lien]|Important :|Sondage :|[Fermé]
gone=Ce message a été supprimé par un modérateur.|Message supprimé|[supprimé]
events={name} a fermé ce sujet le {date}.|Le sujet a été déplacé.|Statut changé de Nouveau à Ouvert
ads=Publicité|Annonce|Inscrivez-vous pour voir moins de publicités
denied=Vous n'êtes pas connecté ou n'avez pas les droits pour voir cette page.|La page demandée est introuvable.|Aucun résultat pour votre recherche.
accepted=Réponse acceptée|Solution|Meilleure réponse|✓
helpful=Cette réponse vous a-t-elle été utile ?|Oui|Non|{n} sur {m} ont trouvé cela utile
related=Sujets similaires|Articles similaires|À lire aussi|Sur le même sujet|Questions proches
recent=Articles récents|Commentaires récents|Archives|Catégories|Étiquettes|Qui est en ligne|Statistiques
legal=Mentions légales|Confidentialité|CGU|Contact|Tous droits réservés|Plan du site
cookie=Nous utilisons des cookies pour faire fonctionner ce site et mesurer sa fréquentation. Vous pouvez changer d'avis à tout moment.|Tout accepter|Refuser|Paramètres
more=Lire la suite|En savoir plus|Voir l'article
rights=Vous ne pouvez pas publier de nouveaux sujets|Vous ne pouvez pas répondre|Membres en ligne : aucun membre et 2 invités|Aller à :
share=Partager|Imprimer|Envoyer|Classé dans|Mots-clés
fields2=Statut|Priorité|Assigné à|Version|Composant|Créé|Mis à jour
values=Ouvert|Normale|personne|1.2|noyau|Haute|fermé
shop=Ajouter au panier|En stock|Prix|Quantité|Description|Caractéristiques|Livraison en 3 jours|Poids|Couleur|Marque
manual=Sommaire|Suivant : |Précédent : |Sur cette page|Modifier|Remarque|Exemple|Voir aussi
asked=demandé|répondu|commenté|vu {n} fois|{n} votes
months=janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre
dates={D} {M} {Y} à {H}:{N}|{D}/{m}/{Y} {H}:{N}|le {D} {M} {Y}|il y a {a} heures|il y a {a} jours|{D} {M} {Y}
[es]
menu=Inicio|Foro|Blog|Miembros|Acerca de|Contacto|Archivo|Tienda|Ayuda|Noticias|Temas
account=Iniciar sesión|Registrarse|Buscar|¿Olvidó su contraseña?
actions=Responder|Citar|Reportar|Me gusta|Compartir|Enlace|Gracias|Arriba
said={name} escribió:|{name} dijo:|Cita:|Cita de {name}
says=dice:|escribió:|el||
by=por |Publicado por |De: ||
ranks=Miembro|Nuevo|Administrador|Moderador|Experto|Autor
stats=Mensajes: {n}|Registrado: {date}|Ubicación: Sevilla|{n} mensajes
edited=Última edición por {name} el {date}|Editado el {date}
answers={n} respuestas|Respuestas|Respuestas ({n})|Discusión
comments={n} comentarios|Comentarios ({n})|Comentarios|{n} comentarios en «{title}»|Opiniones
none=No hay comentarios.|Sé el primero en comentar.|Los comentarios están cerrados.
form=Deja un comentario|Responder|Añadir comentario|Respuesta rápida
fields=Nombre|Correo electrónico|Web|Comentario|Enviar|Tu dirección de correo no será publicada.
policy=Los comentarios ofensivos serán eliminados por la redacción.
ping=Pingback: |Trackback de
page=Página {n} de {m}|{n} de {m}
turn=Siguiente|Anterior|« Primera|Última »|Entradas antiguas
board=Tema|Autor|Respuestas|Vistas|Último mensaje|Foro
boards=General|Ayuda|Anuncios|Charla|Hardware|Presentaciones|Jardín|Viajes
tools=Nuevo tema|Responder|Seguir este tema|Imprimir|Más recientes
labels=[Resuelto]|Importante:|Encuesta:|[Cerrado]
gone=Este mensaje fue eliminado por un moderador.|Mensaje eliminado|[borrado]
events={name} cerró este tema el {date}.|El tema fue movido.|Estado cambiado de Nuevo a Abierto
ads=Publicidad|Anuncio|Regístrate para ver menos publicidad
denied=No ha iniciado sesión o no tiene permiso para ver esta página.|La página solicitada no existe.|Su búsqueda no produjo resultados.
accepted=Respuesta aceptada|Solución|Mejor respuesta|✓
helpful=¿Fue útil?|Sí|No|A {n} de {m} les resultó útil
related=Temas similares|Entradas relacionadas|Te puede interesar|Preguntas relacionadas
recent=Entradas recientes|Comentarios recientes|Archivos|Categorías|Etiquetas|Quién está en línea
legal=Aviso legal|Privacidad|Términos|Contacto|Todos los derechos reservados
cookie=Usamos cookies para que este sitio funcione y para medir su uso. Puede cambiar su elección en cualquier momento.|Aceptar todo|Rechazar|Ajustes
more=Leer más|Seguir leyendo|Ver noticia
rights=No puede crear temas nuevos|No puede responder temas|Usuarios navegando: ninguno y 2 invitados|Ir a:
share=Compartir|Imprimir|Guardar|Publicado en|Etiquetas
fields2=Estado|Prioridad|Asignado a|Versión|Creado|Actualizado
values=Abierto|Normal|nadie|1.2|Alta|cerrado
shop=Añadir al carrito|En existencia|Precio|Cantidad|Descripción|Características|Entrega en 3 días|Peso|Color|Marca
manual=Contenido|Siguiente: |Anterior: |En esta página|Editar|Nota|Ejemplo|Véase también
asked=preguntado|respondido|comentado|visto {n} veces|{n} votos
months=enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre
dates={D} de {M} de {Y}, {H}:{N}|{D}/{m}/{Y} {H}:{N}|{D} {M}, {Y}|hace {a} horas|hace {a} días
[ru]
menu=Главная|Форум|Блог|Участники|О нас|Контакты|Архив|Магазин|Помощь|Новости|Темы
account=Войти|Регистрация|Поиск|Забыли пароль?
actions=Ответить|Цитировать|Пожаловаться|Нравится|Поделиться|Ссылка|Спасибо|Наверх
said={name} писал(а):|{name} сказал:|Цитата:|Цитата: {name}
says=говорит:|пишет:|сказал||
by=от |Автор: |Добавил ||
ranks=Участник|Новичок|Администратор|Модератор|Эксперт|Автор
stats=Сообщения: {n}|Регистрация: {date}|Откуда: Тверь|{n} сообщений|Не в сети
edited=Последний раз редактировалось {name} {date}|Изменено {date}
answers={n} ответов|Ответы|Ответы ({n})|Обсуждение
comments={n} комментариев|Комментарии ({n})|Комментарии|Отзывы читателей
none=Комментариев пока нет.|Будьте первым.|Комментарии закрыты.
form=Добавить комментарий|Ответить|Быстрый ответ|Оставить комментарий
fields=Имя|Почта|Сайт|Комментарий|Отправить|Ваш адрес не будет опубликован.
policy=Просим соблюдать правила: оскорбления и реклама удаляются.
ping=Уведомление: |Пингбэк:
page=Страница {n} из {m}|Стр. {n}
turn=Следующая|Предыдущая|Первая|Последняя
board=Тема|Автор|Ответы|Просмотры|Последнее сообщение
boards=Общий раздел|Помощь|Объявления|Болталка|Техника|Знакомство
tools=Новая тема|Ответить|Подписаться на тему|Версия для печати|Сначала новые
labels=[Решено]|Важно:|Опрос:|[Закрыто]
gone=Сообщение удалено модератором.|[удалено]|Сообщение скрыто
events={name} закрыл тему {date}.|Тема перенесена.|Статус изменён с «Новый» на «Открыт»
ads=Реклама|Зарегистрируйтесь, чтобы видеть меньше рекламы
denied=Вы не вошли или у вас нет прав для просмотра этой страницы.|Страница не найдена.|По вашему запросу ничего не найдено.
accepted=Решение|Лучший ответ|✓
helpful=Вам помог этот ответ?|Да|Нет
related=Похожие темы|Читайте также|Похожие вопросы
recent=Свежие записи|Свежие комментарии|Архивы|Рубрики|Метки|Сейчас на форуме
legal=О сайте|Конфиденциальность|Условия|Контакты|Все права защищены
cookie=Мы используем файлы cookie, чтобы сайт работал и чтобы считать посещения. Выбор можно изменить в любое время.|Принять|Отклонить
more=Читать далее|Подробнее
rights=Вы не можете начинать темы|Вы не можете отвечать на сообщения|Сейчас этот форум просматривают: 2 гостя|Перейти:
share=Поделиться|Печать|Рубрика|Метки
fields2=Статус|Приоритет|Назначен|Версия|Создан|Обновлён
values=Открыт|Обычный|никто|1.2|Высокий|закрыт
shop=В корзину|В наличии|Цена|Количество|Описание|Характеристики|Доставка за 3 дня|Вес|Цвет
manual=Содержание|Далее: |Назад: |На этой странице|Примечание|Пример
asked=спросил|ответил|{n} просмотров|{n} голосов
months=января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря
dates={D} {M} {Y}, {H}:{N}|{D}.{m}.{Y} {H}:{N}|{D} {M} {Y} г.|{a} часов назад|{a} дней назад
[zh]
menu=首页|论坛|博客|会员|关于|联系我们|归档|商城|帮助|新闻|话题
account=登录|注册|搜索|忘记密码？|立即注册
actions=回复|引用|举报|赞|分享|链接|感谢|使用道具|支持|反对
said={name} 发表于 {date}|{name} 写道：|引用：|回复 {name}：
says=说：|写道：|：||
by=作者：|楼主：||
ranks=会员|新手上路|管理员|版主|楼主|沙发|高级会员|作者
stats=帖子 {n}|注册时间 {date}|积分 {n}|主题 {n}|来自 上海|精华 0
edited=本帖最后由 {name} 于 {date} 编辑|编辑于 {date}
answers={n} 个回答|全部回复|回复 ({n})|{n} 条回复
comments={n} 条评论|评论 ({n})|评论|网友评论|最新评论
none=暂无评论|快来发表第一条评论吧|评论已关闭
form=发表评论|发表回复|快速回复|写回答
fields=昵称|邮箱|网址|内容|提交|您的邮箱地址不会被公开。
policy=请文明发言，评论须经审核后显示。
ping=引用通告：
page=第 {n} 页|第 {n}/{m} 页|共 {m} 页
turn=下一页|上一页|首页|尾页
board=主题|作者|回复|查看|最后发表
boards=综合讨论|求助|公告|灌水|硬件|新人报到
tools=发新帖|回复|收藏|只看该作者|倒序浏览|打印
labels=[已解决]|[复制链接]|置顶|投票|精华
gone=该帖已被管理员删除|内容已隐藏|此评论已删除
events={name} 于 {date} 关闭了主题|主题已移动|状态由新建改为处理中
ads=广告|推广
denied=您还没有登录，或者没有权限访问此页面。|抱歉，您访问的页面不存在。|没有找到匹配的结果。|操作成功，正在跳转。
accepted=最佳答案|已采纳|✓
helpful=这个回答有帮助吗？|有|没有
related=相关主题|相关文章|推荐阅读|相关问题
recent=最新文章|最新评论|归档|分类|标签|在线用户
legal=关于我们|隐私政策|服务条款|联系我们|版权所有
cookie=本站使用 Cookie 以保证正常运行并统计访问。您可以随时更改选择。|全部接受|拒绝
more=阅读全文|查看详情
rights=您需要登录后才可以回帖|本版积分规则|您不能发表新主题
share=分享|打印|收藏|分类|标签
fields2=状态|优先级|负责人|版本|创建时间
values=打开|普通|无|1.2|高|已关闭
shop=加入购物车|有货|价格|数量|商品描述|规格参数|重量|颜色|品牌
manual=目录|下一页：|上一页：|本页内容|注意|示例
asked=提问|回答|{n} 次浏览|{n} 票
months=1月|2月|3月|4月|5月|6月|7月|8月|9月|10月|11月|12月
dates={Y}-{m}-{D} {H}:{N}|{Y}年{m}月{D}日 {H}:{N}|{Y}/{m}/{D}|{a} 小时前|{a} 天前|发表于 {Y}-{m}-{D} {H}:{N}
[ja]
menu=ホーム|フォーラム|ブログ|会員|お問い合わせ|アーカイブ|ヘルプ|ニュース
account=ログイン|登録|検索|パスワードを忘れた方
actions=返信|引用|通報|いいね|共有|リンク
said={name} さんの発言:|引用:|{name} さんが書きました:
by=投稿者: |by ||
ranks=メンバー|管理者|新人|モデレーター
stats=投稿数: {n}|登録日: {date}
edited=最終更新: {date}
answers={n} 件の回答|回答|返信 ({n})
comments={n} 件のコメント|コメント ({n})|コメント|みんなの感想
none=コメントはまだありません。|コメントは受け付けていません。
form=コメントを書く|返信する
fields=名前|メール|サイト|コメント|送信|メールアドレスが公開されることはありません。
page={n} / {m} ページ|ページ {n}
turn=次へ|前へ|最初|最後
board=件名|投稿者|返信|閲覧|最新の投稿
boards=雑談|質問|お知らせ|自己紹介
related=関連記事|関連する質問|おすすめ記事
recent=最近の投稿|最近のコメント|アーカイブ|カテゴリー|タグ
legal=会社概要|プライバシー|利用規約|無断転載を禁じます
more=続きを読む|もっと見る
denied=ログインしていないか、権限がありません。|ページが見つかりません。
dates={Y}年{m}月{D}日 {H}:{N}|{Y}/{m}/{D} {H}:{N}|{a} 時間前|{a} 日前
"""


def _read(table: str) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    language = ""
    for line in table.strip().splitlines():
        if line.startswith("["):
            language = line.strip("[]")
            found[language] = {}
        else:
            key, _, values = line.partition("=")
            found[language][key] = tuple(values.split("|"))
    return found


_WORDS = _read(_TABLE)
#: The languages with words of their own.
LANGUAGES = tuple(_WORDS)


class Interface:
    """The words of a language; a key without words in it has those of English."""

    def __init__(self, language: str, rng: Random) -> None:
        self._words = {**_WORDS["en"], **_WORDS.get(language, {})}
        self._rng = rng
        self._kept: dict[str, str] = {}

    def all(self, key: str) -> tuple[str, ...]:
        """Return all the words of a key."""
        return self._words[key]

    def one(self, key: str) -> str:
        """Draw a word."""
        return self._rng.choice(self._words[key])

    def some(self, key: str, most: int, least: int = 1) -> list[str]:
        """Draw distinct words."""
        words = self._words[key]
        return self._rng.sample(words, min(len(words), self._rng.randint(least, most)))

    def kept(self, key: str) -> str:
        """Return the word that the site always uses, drawn on the first call."""
        if key not in self._kept:
            self._kept[key] = self.one(key)
        return self._kept[key]
